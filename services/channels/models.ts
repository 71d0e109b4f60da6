import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions } from '../../lib/tenant';
import type { VoiceOutcome } from '../../contracts/channels/views';

/**
 * What became of a request with an Idempotency-Key. `_id` is made of the caller's scope and the key. `answer` is sealed:
 * it may hold a token or a new key.
 */
export interface IdempotencyRecord {
  _id: string;
  /** HMAC of the body; see IdempotencyKeys. */
  body_hash: string;
  state: 'in_progress' | 'done';
  /** The request that carries the work out; absent in records of older versions. */
  owner?: string | null;
  /** When the owner began, or renewed its lease for the last time. */
  started_at: Date;
  status: number | null;
  answer: Buffer | null;
  /** The master key that sealed it. */
  key_id: string | null;
  expires_at: Date;
}

const idempotencySchema = new Schema<IdempotencyRecord>(
  {
    _id: { type: String, required: true },
    body_hash: { type: String, required: true },
    state: { type: String, required: true },
    owner: { type: String, default: null },
    started_at: { type: Date, required: true },
    status: { type: Number, default: null },
    answer: { type: Buffer, default: null },
    key_id: { type: String, default: null },
    expires_at: { type: Date, required: true },
  },
  { ...durableOptions, collection: 'idempotency_keys' },
)
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  .index({ key_id: 1 });

/** An event that a provider has sent. `_id` is the provider's word and its id of the event. */
export interface DeliveryRecord {
  _id: string;
  event: string;
  room: string | null;
  /** Whom the event named, whether or not there is one. */
  tenant_id: string | null;
  workflow_id: string | null;
  /** `received`: not yet processed. */
  outcome: 'received' | VoiceOutcome['outcome'];
  reason: string | null;
  execution_id: string | null;
  received_at: Date;
  expires_at: Date;
}

const text = { type: String, default: null } as const;

const deliverySchema = new Schema<DeliveryRecord>(
  {
    _id: { type: String, required: true },
    event: { type: String, required: true },
    room: text,
    tenant_id: text,
    workflow_id: text,
    outcome: { type: String, required: true },
    reason: text,
    execution_id: text,
    received_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  { ...durableOptions, collection: 'deliveries' },
).index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** The collection of providers' events. */
export const deliveryModel = (db: Connection): Model<DeliveryRecord> =>
  db.model<DeliveryRecord>('delivery', deliverySchema);

/** The collection of requests that happen once. */
export const idempotencyModel = (db: Connection): Model<IdempotencyRecord> =>
  db.model<IdempotencyRecord>('idempotency_key', idempotencySchema);
