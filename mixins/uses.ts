import { type Connection, type Model, Schema } from 'mongoose';
import { sha256 } from '../lib/crypto';
import { isDuplicateKey } from '../lib/duplicate-key';
import { durableOptions } from './tenant';

/** What may be brought once, and was. */
export interface UseDoc {
  /** SHA-256 of what it was. */
  _id: string;
  expires_at: Date;
}

const schema = new Schema<UseDoc>(
  { _id: { type: String, required: true }, expires_at: { type: Date, required: true } },
  durableOptions,
).index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** A collection of what was brought, for the service that owns it. */
export const useModel = (db: Connection, name: string, collection: string): Model<UseDoc> =>
  db.model<UseDoc>(name, schema, collection);

/**
 * Takes what may be brought once; false when somebody has brought it before, on whatever node. It is kept `until` it
 * could not be good any more, so that a second try finds it.
 */
export async function takeOnce(uses: Model<UseDoc>, what: string, until: number): Promise<boolean> {
  try {
    await uses.create({ _id: sha256(what), expires_at: new Date(until) });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
