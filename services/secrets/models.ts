import { type Connection, Schema } from 'mongoose';
import { requiredText, requiredDate } from '../../lib/tenant';

export interface SecretDoc {
  _id: string;
  tenant_id: string;
  name: string;
  /** `iv || tag || ciphertext`; see lib/crypto. */
  sealed: Buffer;
  /** The master key that encrypted it. */
  key_id: string;
  created_at: Date;
  updated_at: Date;
}

const secretSchema = new Schema<SecretDoc>(
  {
    _id: requiredText,
    tenant_id: requiredText,
    name: requiredText,
    sealed: { type: Buffer, required: true },
    key_id: requiredText,
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  { versionKey: false },
)
  .index({ tenant_id: 1, name: 1 }, { unique: true })
  .index({ key_id: 1 });

/** The collection of the secrets service. */
export const secretModel = (db: Connection) => db.model<SecretDoc>('Secret', secretSchema, 'secrets');
