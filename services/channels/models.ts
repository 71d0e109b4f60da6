import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions } from '../../mixins/tenant';

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

/** The collection of requests that happen once. */
export const onceModel = (db: Connection): Model<OnceRecord> => db.model<OnceRecord>('idempotency_key', onceSchema);
