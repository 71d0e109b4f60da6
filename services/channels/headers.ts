import { HOP_BY_HOP } from '../../lib/hop-by-hop';

/** Headers that concern one connection only (RFC 9110 section 7.6.1), and those that carry a caller's credentials. */
const NEVER_RECORDED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'proxy-authenticate',
  'proxy-authorization',
  'authorization',
  'cookie',
  'x-api-key',
]);

/**
 * The headers that a run may see and record: neither those of the connection, with whatever `Connection` names, nor
 * credentials. Signature headers stay, so a step can check them. Names are lower-case already.
 */
export function recordableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NEVER_RECORDED.has(name) && !named.has(name)));
}

/** How a delivery says which one it is. */
export interface DeliveryId {
  readonly header: string;
  readonly value: string;
}

/** The header of a caller that numbers his own requests. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * Headers whose value stays the same when a provider sends an event again, first one wins. Request ids such as
 * `X-Request-ID` are not among them: proxies make them anew, and clients reuse them.
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

/** The delivery's own id, or null when it carries none. */
export function deliveryId(headers: Readonly<Record<string, string>>): DeliveryId | null {
  for (const header of DELIVERY_HEADERS) {
    const value = Object.hasOwn(headers, header) ? headers[header]?.trim() : undefined;
    if (value) return { header, value };
  }
  return null;
}
