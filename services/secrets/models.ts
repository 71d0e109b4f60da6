import { type Connection, Schema } from 'mongoose';

export interface SecretDoc {
  _id: string;
  tenant_id: string;
  name: string;
  /** `iv || tag || ciphertext`, see lib/crypto. */
  sealed: Buffer;
  /** Which master key sealed it. */
  key_id: string;
  created_at: Date;
  updated_at: Date;
}

const required = { type: String, required: true } as const;

const secretSchema = new Schema<SecretDoc>(
  {
    _id: required,
    tenant_id: required,
    name: required,
    sealed: { type: Buffer, required: true },
    key_id: required,
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { versionKey: false },
)
  .index({ tenant_id: 1, name: 1 }, { unique: true })
  .index({ key_id: 1 });

/** The collection that the secrets service owns, on one connection. */
export const secretModel = (db: Connection) => db.model<SecretDoc>('Secret', secretSchema, 'secrets');
