import { isObject } from '../json';

/** Node ids become part of NATS subjects: a blank or line break would allow command injection. */
const NODE_NAME = /^[\w:@-]{1,128}(\.[\w:@-]{1,128}){0,16}$/;
const MAX_ID = 256;

/** Whether a value is a valid node id. */
export const isNodeName = (value: unknown): value is string => typeof value === 'string' && NODE_NAME.test(value);

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;
const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const optional = (is: (value: unknown) => boolean) => (value: unknown) => isAbsent(value) || is(value);
const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
const isFalse = (value: unknown): boolean => value === false;
const isListOf = (is: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(is);
const isMapOf = (is: (value: unknown) => boolean) => (value: unknown) =>
  isObject(value) && !Object.hasOwn(value, '__proto__') && Object.values(value).every(is);
const isNamed = (value: unknown): boolean => isObject(value) && isText(value.name);

const ROUTED: Shape = {
  id: optional(isText),
  meta: optional((meta) => isObject(meta) && optional(isText)(meta.request_id)),
  headers: optional(isObject),
  level: optional(isCount),
  parentID: optional(isText),
  requestID: optional(isText),
  // Streams are unbounded, and no action uses them.
  stream: optional(isFalse),
  seq: isAbsent,
};

/** Required shape of each packet type, beside the sender. */
const SHAPES: Readonly<Record<string, Shape>> = {
  REQ: { ...ROUTED, id: isText, action: isText, timeout: optional(isCount) },
  RES: { ...ROUTED, id: isText, error: optional(isObject) },
  EVENT: { ...ROUTED, event: isText, groups: optional(isListOf(isText)) },
  INFO: {
    instanceID: isText,
    metadata: optional(isObject),
    seq: optional(isCount),
    services: isListOf(
      (service) =>
        isNamed(service) &&
        optional(isMapOf(isNamed))((service as { actions?: unknown }).actions) &&
        optional(isMapOf(isNamed))((service as { events?: unknown }).events),
    ),
  },
};

/** What is wrong with a packet; null when it is valid. Any client on the bus may have sent it. */
export function packetFault(kind: string, payload: unknown): string | null {
  if (!isObject(payload)) return 'no object';
  if (!isNodeName(payload.sender)) return 'invalid sender';
  const wrong = Object.entries(SHAPES[kind] ?? {}).find(([member, is]) => !is(payload[member]));
  return wrong === undefined ? null : `invalid ${wrong[0]}`;
}
