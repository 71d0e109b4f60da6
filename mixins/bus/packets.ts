import { isObject } from '../../lib/json';

/** A name becomes part of a subject: a blank or a line end in it would let a stranger write commands in our name. */
const NODE_NAME = /^[\w:@-]{1,128}(\.[\w:@-]{1,128}){0,16}$/;
const MAX_ID = 256;

/** Whether a text may be the name of a node, and so be answered. */
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
  // Streams are bounded by nobody, and none of our actions takes or gives one.
  stream: optional(isFalse),
  seq: isAbsent,
};

/** What each kind of packet must look like beside its sender, for Moleculer to make sense of it. */
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

/** What is wrong with a packet; null when it may be handled. Anybody on the bus may have sent it. */
export function packetFault(kind: string, payload: unknown): string | null {
  if (!isObject(payload)) return 'no object';
  if (!isNodeName(payload.sender)) return 'its sender has no name';
  const wrong = Object.entries(SHAPES[kind] ?? {}).find(([member, is]) => !is(payload[member]));
  return wrong === undefined ? null : `its ${wrong[0]} is malformed`;
}
