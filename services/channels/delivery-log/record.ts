import { isObject, type JsonObject } from '../../../lib/json';
import { timeId } from '../../../lib/ids';
import type { StartSnapshot } from '../../../contracts/workflows/views';
import type { DeliveryDetail, DeliverySignature, DeliveryView, SeenDelivery } from '../../../contracts/channels/views';
import { deliveryId, recordableHeaders } from '../../../lib/delivery-headers';
import type { BodyRecord, WebhookDeliveryRecord } from './models';

const RETENTION_MS = 30 * 86_400_000;
/** Larger bodies are stored in their own collection. */
const MAX_INLINE_BYTES = 8 * 1024;
const MAX_TEXT_CHARS = 1_000;
const MAX_HEADERS_CHARS = 32 * 1024;
const MAX_EXECUTIONS = 1_000;

type Workflow = Pick<StartSnapshot, 'id' | 'tenant_id' | 'webhook_key_hash' | 'signed'>;

/** The records of a delivery. Pure except for the random part of the id. */
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
    expires_at: new Date(received + RETENTION_MS),
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
    // Challenges are answered, and unreadable requests refused, before the key is checked.
    const isRequired = workflow.webhook_key_hash !== null || workflow.signed;
    return isRequired && outcome !== 'ignored' && !UNVERIFIED.has(code ?? '') ? 'verified' : 'none';
  }
  return UNVERIFIED.has(code ?? '') ? 'none' : 'verified';
}

/** Refusals before the check of a key or signature. */
const UNVERIFIED: ReadonlySet<string> = new Set([
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

/** JSON text; `{}` for values over the limit, because truncated JSON cannot be parsed. */
function textOf(value: JsonObject | Record<string, string>): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_HEADERS_CHARS ? text : '{}';
}

/** Truncates a text. The UTF-8 round trip replaces half of a surrogate pair. */
const bounded = (text: string | null): string | null =>
  text === null ? null : Buffer.from(text.slice(0, MAX_TEXT_CHARS)).toString();

/** The fields of list rows. */
export const ROW_FIELDS = [
  'workflow_id',
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

/** All fields, with the body. */
export const toDetail = (record: WebhookDeliveryRecord, body: Buffer): DeliveryDetail => ({
  ...toRow(record),
  execution_ids: record.execution_ids,
  headers: headersOf(record),
  query: objectIn(record.query),
  body: body.toString('base64'),
  body_sha256: record.body_sha256,
  truncated: record.kept < record.size,
});

/** The stored headers, with lower-case names. */
export const headersOf = ({ headers }: Pick<WebhookDeliveryRecord, 'headers'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(objectIn(headers)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

/** Parses JSON text of `recordsOf`. */
export function objectIn(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? (value as JsonObject) : {};
}
