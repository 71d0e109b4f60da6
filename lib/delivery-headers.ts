import { HOP_BY_HOP } from './hop-by-hop';

/** Hop-by-hop headers (RFC 9110 section 7.6.1) and headers with credentials. */
const NEVER_RECORDED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'proxy-authenticate',
  'proxy-authorization',
  'authorization',
  'cookie',
  'x-api-key',
]);

const NONE: ReadonlySet<string> = new Set();

/**
 * The headers that a run may see and record: no hop-by-hop headers, including those named by `Connection`, and no
 * credentials. Signature headers stay, so a step can verify them. Names are in lower case.
 */
export function recordableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { connection } = headers;
  const named =
    connection === undefined ? NONE : new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  const recordable: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (!NEVER_RECORDED.has(name) && !named.has(name)) recordable[name] = value;
  return recordable;
}

/** Headers that identify a delivery. */
interface DeliveryId {
  readonly header: string;
  readonly value: string;
}

/** Set by callers that number their requests. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * Headers whose value is the same when a provider redelivers an event; the first one present is used. Request ids such
 * as `X-Request-ID` are excluded: proxies regenerate them, and clients reuse them.
 */
const DELIVERY_HEADERS = [
  IDEMPOTENCY_KEY,
  'webhook-id',
  'svix-id',
  'x-github-delivery',
  'x-gitea-delivery',
  'x-shopify-webhook-id',
  'linear-delivery',
  'x-atlassian-webhook-identifier',
  'i-twilio-idempotency-token',
] as const;

/** The id of the delivery; null when it has none. */
export function deliveryId(headers: Readonly<Record<string, string>>): DeliveryId | null {
  for (const header of DELIVERY_HEADERS) {
    const value = Object.hasOwn(headers, header) ? headers[header]?.trim() : undefined;
    if (value) return { header, value };
  }
  return null;
}
