import { isObject, type JsonObject } from '../../../lib/json';
import { timeId } from '../../../lib/ids';
import type { StartSnapshot } from '../../../contracts/workflows/views';
import type { DeliveryDetail, DeliverySignature, DeliveryView, SeenDelivery } from '../../../contracts/channels/views';
import { deliveryId, recordableHeaders } from '../../../lib/delivery-headers';
import type { BodyRecord, WebhookDeliveryRecord } from './models';

const KEPT_MS = 30 * 86_400_000;
/** A larger body lies elsewhere. */
const MAX_INLINE_BYTES = 8 * 1024;
const MAX_TEXT_CHARS = 1_000;
const MAX_HEADERS_CHARS = 32 * 1024;
const MAX_EXECUTIONS = 1_000;

type Workflow = Pick<StartSnapshot, 'id' | 'tenant_id' | 'webhook_key_hash' | 'signed'>;

/** The records of what a gateway has seen. Pure but for the random part of the id. */
export function recordsOf(
  seen: SeenDelivery,
  workflow: Workflow,
): { delivery: WebhookDeliveryRecord; body: BodyRecord | null } {
  const received = Date.parse(seen.received_at);
  const bytes = Buffer.from(seen.raw, 'base64');
  const owned = {
    _id: timeId(received),
    tenant_id: workflow.tenant_id,
    workflow_id: workflow.id,
    minor: seen.minor,
    expires_at: new Date(received + KEPT_MS),
  };
  const inline = bytes.length <= MAX_INLINE_BYTES;
  const delivery: WebhookDeliveryRecord = {
    ...owned,
    source: seen.source,
    method: seen.method,
    status: seen.status,
    signature: signatureOf(seen, workflow),
    delivery_id: bounded(seen.delivery_id ?? deliveryId(seen.headers)?.value ?? null),
    outcome: seen.outcome,
    reason: bounded(seen.reason),
    execution_ids: seen.execution_ids.slice(0, MAX_EXECUTIONS),
    content_type: bounded(seen.headers['content-type'] ?? null),
    headers: textOf(recordableHeaders(seen.headers)),
    query: textOf(withoutTokens(seen.query)),
    size: seen.size,
    body_sha256: seen.sha256,
    kept: bytes.length,
    body: inline ? bytes : null,
    received_at: new Date(received),
  };
  return { delivery, body: inline ? null : { ...owned, body: bytes } };
}

function signatureOf({ code, source, outcome, method }: SeenDelivery, workflow: Workflow): DeliverySignature {
  if (code === 'unauthenticated' || (code === 'forbidden' && method === 'GET')) return 'failed';
  if (code === 'provider_not_configured') return 'not_configured';
  if (source === 'http') {
    // A challenge is answered before the key is asked for, and what cannot be read is refused before that.
    const asked =
      (workflow.webhook_key_hash !== null || workflow.signed) && outcome !== 'ignored' && !UNREAD.has(code ?? '');
    return asked ? 'verified' : 'none';
  }
  return UNREAD.has(code ?? '') ? 'none' : 'verified';
}

/** Refusals that come before anybody has looked at a key or a signature. */
const UNREAD: ReadonlySet<string> = new Set([
  'invalid_json',
  'invalid_request',
  'payload_too_large',
  'unsupported_media_type',
  'unavailable',
  'timed_out',
  'internal',
]);

/** The verify token authenticates this service to the provider, so it is masked. */
function withoutTokens(query: JsonObject): JsonObject {
  return Object.hasOwn(query, 'hub.verify_token') ? { ...query, 'hub.verify_token': '***' } : query;
}

/** What is too long to be kept is left out whole: half of a JSON text is none. */
function textOf(value: JsonObject | Record<string, string>): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_HEADERS_CHARS ? text : '{}';
}

/** Through its bytes, since half of a surrogate pair would not be stored as it is. */
const bounded = (text: string | null): string | null =>
  text === null ? null : Buffer.from(text.slice(0, MAX_TEXT_CHARS)).toString();

/** The fields of a row of the list. */
export const ROW_FIELDS = [
  'source',
  'method',
  'status',
  'signature',
  'delivery_id',
  'outcome',
  'reason',
  'execution_ids',
  'size',
  'content_type',
  'received_at',
] as const satisfies readonly (keyof WebhookDeliveryRecord)[];

export const toRow = (record: Pick<WebhookDeliveryRecord, '_id' | (typeof ROW_FIELDS)[number]>): DeliveryView => ({
  id: record._id,
  received_at: record.received_at.toISOString(),
  source: record.source,
  method: record.method,
  status: record.status,
  signature: record.signature,
  delivery_id: record.delivery_id,
  outcome: record.outcome,
  reason: record.reason,
  execution_id: record.execution_ids[0] ?? null,
  size: record.size,
  content_type: record.content_type,
});

/** All of it, with the body that was found for it. */
export const toDetail = (record: WebhookDeliveryRecord, body: Buffer): DeliveryDetail => ({
  ...toRow(record),
  execution_ids: record.execution_ids,
  headers: headersOf(record),
  query: objectIn(record.query),
  body: body.toString('base64'),
  body_sha256: record.body_sha256,
  truncated: record.kept < record.size,
});

/** The headers that were kept, by lower-case names. */
export const headersOf = ({ headers }: Pick<WebhookDeliveryRecord, 'headers'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(objectIn(headers)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

/** What `recordsOf` has written. */
export function objectIn(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? (value as JsonObject) : {};
}
