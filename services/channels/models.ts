import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions } from '../../mixins/tenant';
import type { VoiceOutcome } from './contract';

/**
 * What became of a request with an Idempotency-Key. `_id` is made of the caller's scope and the key. `answer` is sealed:
 * it may hold a token or a new key.
 */
export interface OnceRecord {
  _id: string;
  /** HMAC of the body; see Once. */
  body_hash: string;
  state: 'in_progress' | 'done';
  started_at: Date;
  status: number | null;
  answer: Buffer | null;
  /** The master key that sealed it. */
  key_id: string | null;
  expires_at: Date;
}

const onceSchema = new Schema<OnceRecord>(
  {
    _id: { type: String, required: true },
    body_hash: { type: String, required: true },
    state: { type: String, required: true },
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
  /** `received`: nobody has come to an end with it yet. */
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
export const onceModel = (db: Connection): Model<OnceRecord> => db.model<OnceRecord>('idempotency_key', onceSchema);
