import { type Connection, type Model, Schema } from 'mongoose';
import { sha256 } from './crypto';
import { isDuplicateKey } from './duplicate-key';
import { durableOptions } from './tenant';

/** A used nonce. */
interface UseDoc {
  /** SHA-256 of the nonce. */
  _id: string;
  expires_at: Date;
}

const schema = new Schema<UseDoc>(
  { _id: { type: String, required: true }, expires_at: { type: Date, required: true } },
  durableOptions,
).index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** A collection of used nonces, for the service that owns it. */
export const useModel = (db: Connection, name: string, collection: string): Model<UseDoc> =>
  db.model<UseDoc>(name, schema, collection);

/**
 * Marks a nonce as used; false when it was used before, on any node. Kept `until` the nonce could not be valid anyway.
 */
export async function consumeOnce(uses: Model<UseDoc>, what: string, until: number): Promise<boolean> {
  try {
    await uses.create({ _id: sha256(what), expires_at: new Date(until) });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
