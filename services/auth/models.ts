import { type Connection, Schema } from 'mongoose';
import type { Role } from '../../mixins/principal';

export interface TenantDoc {
  _id: string;
  slug: string;
  name: string;
  plan: string;
  organization_id: string | null;
  require_approval: boolean;
  created_at: Date;
}

export interface UserDoc {
  _id: string;
  tenant_id: string;
  email: string;
  role: Role;
  /** Argon2id in PHC text form. */
  password_hash: string;
  created_at: Date;
  /** Set while the user's tenant may not exist yet; see registration.ts. */
  registering_since?: Date;
}

export interface ApiKeyDoc {
  _id: string;
  tenant_id: string;
  user_id: string;
  name: string;
  /** First characters of the key, for people to tell keys apart. */
  prefix: string;
  /** SHA-256 of the key in hex. */
  hash: string;
  created_at: Date;
  last_used_at: Date | null;
}

const required = { type: String, required: true } as const;

const tenantSchema = new Schema<TenantDoc>(
  {
    _id: required,
    slug: required,
    name: required,
    plan: required,
    organization_id: { type: String, default: null },
    require_approval: { type: Boolean, default: false },
    created_at: { type: Date, required: true },
  },
  { versionKey: false },
).index({ slug: 1 }, { unique: true });

const userSchema = new Schema<UserDoc>(
  {
    _id: required,
    tenant_id: required,
    email: required,
    role: required,
    password_hash: required,
    created_at: { type: Date, required: true },
    registering_since: { type: Date },
  },
  { versionKey: false },
)
  .index({ tenant_id: 1, email: 1 }, { unique: true })
  .index({ registering_since: 1 }, { sparse: true });

const apiKeySchema = new Schema<ApiKeyDoc>(
  {
    _id: required,
    tenant_id: required,
    user_id: required,
    name: required,
    prefix: required,
    hash: required,
    created_at: { type: Date, required: true },
    last_used_at: { type: Date, default: null },
  },
  { versionKey: false },
)
  .index({ hash: 1 }, { unique: true })
  .index({ tenant_id: 1, created_at: 1 });

/** The collections that the auth service owns, on one connection. */
export const authModels = (db: Connection) => ({
  tenants: db.model<TenantDoc>('Tenant', tenantSchema, 'tenants'),
  users: db.model<UserDoc>('User', userSchema, 'users'),
  apiKeys: db.model<ApiKeyDoc>('ApiKey', apiKeySchema, 'api_keys'),
});

export type AuthModels = ReturnType<typeof authModels>;

export async function createAuthIndexes(models: AuthModels): Promise<void> {
  await Promise.all([models.tenants.createIndexes(), models.users.createIndexes(), models.apiKeys.createIndexes()]);
}
