import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions, requiredText, optionalText, requiredDate } from '../../lib/tenant';
import type { VoiceOutcome } from '../../contracts/channels/views';

/**
 * A request with an Idempotency-Key. `_id` is derived from the caller's scope and the key. `answer` is encrypted, because a
 * response may contain a token or a new key.
 */
export interface IdempotencyRecord {
  _id: string;
  /** HMAC of the body; see IdempotencyKeys. */
  body_hash: string;
  state: 'in_progress' | 'done';
  /** The executing request; absent in records of older versions. */
  owner?: string | null;
  /** When the owner started or last renewed its lease. */
  started_at: Date;
  status: number | null;
  answer: Buffer | null;
  /** The master key that encrypted it. */
  key_id: string | null;
  expires_at: Date;
}

const idempotencySchema = new Schema<IdempotencyRecord>(
  {
    _id: requiredText,
    body_hash: requiredText,
    state: requiredText,
    owner: optionalText,
    started_at: requiredDate,
    status: { type: Number, default: null },
    answer: { type: Buffer, default: null },
    key_id: optionalText,
    expires_at: requiredDate,
  },
  { ...durableOptions, collection: 'idempotency_keys' },
)
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  .index({ key_id: 1 });

/** An event of a provider. `_id` is the provider's name and its event id. */
export interface DeliveryRecord {
  _id: string;
  event: string;
  room: string | null;
  /** The tenant named in the event, which may not exist. */
  tenant_id: string | null;
  workflow_id: string | null;
  /** `received`: not yet processed. */
  outcome: 'received' | VoiceOutcome['outcome'];
  reason: string | null;
  execution_id: string | null;
  received_at: Date;
  expires_at: Date;
}

const deliverySchema = new Schema<DeliveryRecord>(
  {
    _id: requiredText,
    event: requiredText,
    room: optionalText,
    tenant_id: optionalText,
    workflow_id: optionalText,
    outcome: requiredText,
    reason: optionalText,
    execution_id: optionalText,
    received_at: requiredDate,
    expires_at: requiredDate,
  },
  { ...durableOptions, collection: 'deliveries' },
).index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** The collection of providers' events. */
export const deliveryModel = (db: Connection): Model<DeliveryRecord> =>
  db.model<DeliveryRecord>('delivery', deliverySchema);

/** The collection of idempotency keys. */
export const idempotencyModel = (db: Connection): Model<IdempotencyRecord> =>
  db.model<IdempotencyRecord>('idempotency_key', idempotencySchema);
