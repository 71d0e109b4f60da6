import { type Connection, Schema } from 'mongoose';
import type { Sealed } from '../../lib/keyring';
import { LIMIT_NAMES, type LimitOverride, type Overrides } from '../../lib/plans';
import type { KeyScope } from '../../lib/key-scopes';
import type { Role } from '../../lib/roles';
import { durableOptions, ownedFields } from '../../lib/tenant';
import { createIndexes } from '../../lib/indexes';
import type { RunViewList } from '../../contracts/auth/run-views';
import { brandingModel } from './branding/model';
import { type FactorFields, factorFields } from './factors/models';
import { scimModels, type ScimProfile, scimProfileSchema } from './scim/models';
import { ssoModels } from './sso/models';

/** Since when, and why an operator has suspended a tenant. Who it was is in the log of operators. */
interface Suspension {
  since: Date;
  reason: string;
}

/** A limit that an operator has set instead of that of the plan. */
export interface TenantLimit extends LimitOverride {
  note: string;
  set_at: Date;
}

export interface TenantDoc {
  _id: string;
  slug: string;
  name: string;
  plan: string;
  organization_id: string | null;
  require_approval: boolean;
  /** Absent in records of earlier versions. */
  require_second_factor?: boolean;
  /** Absent: it is not suspended. */
  suspended?: Suspension;
  /** Also expired ones. Absent: the limits are those of the plan. */
  limits?: Overrides<TenantLimit>;
  created_at: Date;
  /** Ids of the users who are owners: never empty, and they alone decide it; see team/membership.ts. */
  owners: string[];
  /** Users who are removed already, and whose records follow. */
  leaving: string[];
  /** Rises with each change of the two lists. */
  roster_version: number;
}

/** An external identity of a user. */
export type SignInMethod = 'oidc' | 'saml' | 'suite';

/** Whom an identity provider knows the user as. */
export interface Identity {
  via: SignInMethod;
  subject: string;
}

export interface UserDoc extends FactorFields {
  _id: string;
  tenant_id: string;
  /** Of a service account `service:` and its name: no address, so nothing that takes one finds it. */
  email: string;
  /** A service account: it has API keys, and cannot sign in. Absent: a person. */
  is_service?: true;
  /** What he is unless the tenant's `owners` name him: read it by `roleOf` of team/membership.ts. */
  role: Exclude<Role, 'owner'>;
  /** Argon2id in PHC text form; null for whom only an identity provider signs in. */
  password_hash: string | null;
  identities: Identity[];
  /** Null until the user has shown that mail to the address reaches him. */
  email_verified_at: Date | null;
  /** Tokens issued before are refused; null: none is. */
  sessions_valid_from: Date | null;
  /** The one session of before that stays valid; absent in records of earlier versions. */
  kept_session?: string | null;
  /**
   * API keys and invitations made before do not count. Set when the address is confirmed: all that does count was made
   * by the owner of the address. Absent until then, and in records of earlier versions.
   */
  credentials_valid_from?: Date;
  last_sign_in_at: Date | null;
  /** The identity provider has deactivated the user: none of its credentials is accepted. Absent: active. */
  deactivated_at?: Date;
  /** Absent until an identity provider has provisioned or changed the user. */
  scim?: ScimProfile;
  /** Absent until the user has saved one. */
  run_views?: RunViewList;
  created_at: Date;
  /** Set while the user's tenant may not exist yet; see registration.ts. */
  registering_since?: Date;
}

/** An invitation that has not been accepted. */
export interface InviteDoc {
  _id: string;
  tenant_id: string;
  email: string;
  role: Role;
  /** SHA-256 of the token in hex. */
  hash: string;
  invited_by: string;
  created_at: Date;
  expires_at: Date;
  /** Id of the user whom acceptance makes: chosen beforehand, so that a repeated acceptance makes the same one. */
  user_id: string;
  /** Set when the acceptance has begun: from then on it can only be finished. */
  claimed_at: Date | null;
}

/** A token that a mail carried: for one act, once. */
export interface MailTokenDoc {
  /** SHA-256 of the token in hex. */
  _id: string;
  tenant_id: string;
  user_id: string;
  purpose: 'password_reset' | 'verify_email';
  /** The address that the mail went to. */
  email: string;
  created_at: Date;
  expires_at: Date;
}

/** How a session began. */
export type SessionStart = 'invitation' | 'password' | 'passkey' | 'registration' | SignInMethod;

/** A session of a user, for display: what revokes it stands elsewhere; see sessions/sessions.ts. */
export interface SessionDoc {
  /** The `jti` of its token. */
  _id: string;
  tenant_id: string;
  user_id: string;
  via: SessionStart;
  device: string | null;
  address: string | null;
  created_at: Date;
  /** Up to five minutes behind. */
  last_used_at: Date;
  expires_at: Date;
  /** When its person was last confirmed; absent: when it began. */
  confirmed_at?: Date;
}

/** A link that downloads once; see actions/downloads.ts. */
export interface DownloadDoc extends Sealed {
  /** SHA-256 of the token in the link. */
  _id: string;
  tenant_id: string;
  user_id: string;
  path: string;
  expires_at: Date;
}

/** An access token that its bearer has ended; kept for as long as it would have been valid. */
interface EndedSessionDoc {
  /** The token's `jti`. */
  _id: string;
  expires_at: Date;
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
  /** Absent in records of earlier versions: all that the role of the user allows. */
  scope?: KeyScope;
  /** Who has made it; absent: its user. */
  created_by?: string;
  created_at: Date;
  /** Null or absent: it does not expire. */
  expires_at?: Date | null;
  rotated_at?: Date;
  /** The value before the rotation, and until when it is accepted. */
  previous?: { hash: string; valid_until: Date };
  last_used_at: Date | null;
}

/** For so long an expired invitation is still shown as such. */
const EXPIRED_INVITES_KEPT_SECONDS = 30 * 86_400;

const required = { type: String, required: true } as const;

const tenantLimitSchema = new Schema<TenantLimit>(
  {
    value: { type: Number, default: null },
    expires_at: { type: Date, default: null },
    note: required,
    set_at: { type: Date, required: true },
  },
  { _id: false },
);

const tenantSchema = new Schema<TenantDoc>(
  {
    _id: required,
    slug: required,
    name: required,
    plan: required,
    organization_id: { type: String, default: null },
    require_approval: { type: Boolean, default: false },
    require_second_factor: { type: Boolean },
    suspended: {
      type: new Schema<Suspension>({ since: { type: Date, required: true }, reason: required }, { _id: false }),
      default: undefined,
    },
    limits: {
      type: new Schema(Object.fromEntries(LIMIT_NAMES.map((name) => [name, { type: tenantLimitSchema }])), {
        _id: false,
      }),
      default: undefined,
    },
    created_at: { type: Date, required: true },
    owners: { type: [String], required: true },
    leaving: { type: [String], default: [] },
    roster_version: { type: Number, default: 0 },
  },
  { versionKey: false },
)
  .index({ slug: 1 }, { unique: true })
  .index({ organization_id: 1, slug: 1 })
  .index({ leaving: 1 })
  .index({ roster_version: 1 });

const userSchema = new Schema<UserDoc>(
  {
    _id: required,
    tenant_id: required,
    email: required,
    is_service: { type: Boolean },
    role: required,
    password_hash: { type: String, default: null },
    identities: {
      type: [new Schema<Identity>({ via: required, subject: required }, { _id: false })],
      default: [],
    },
    email_verified_at: { type: Date, default: null },
    sessions_valid_from: { type: Date, default: null },
    kept_session: { type: String },
    ...factorFields,
    credentials_valid_from: { type: Date },
    last_sign_in_at: { type: Date, default: null },
    deactivated_at: { type: Date },
    scim: { type: scimProfileSchema },
    created_at: { type: Date, required: true },
    run_views: {
      type: new Schema<RunViewList>(
        {
          views: { type: [new Schema({ name: required, query: { type: String }, trials: Boolean }, { _id: false })] },
          revision: { type: Number, required: true },
        },
        { _id: false },
      ),
      default: undefined,
    },
    registering_since: { type: Date },
  },
  { versionKey: false },
)
  .index({ tenant_id: 1, email: 1 }, { unique: true })
  .index({ tenant_id: 1, created_at: 1, _id: 1 })
  .index({ email: 1 })
  .index(
    { 'identities.subject': 1, 'identities.via': 1, tenant_id: 1 },
    { unique: true, partialFilterExpression: { 'identities.subject': { $exists: true } } },
  )
  .index({ registering_since: 1 }, { sparse: true })
  .index(
    { tenant_id: 1, 'scim.user_name_key': 1 },
    { unique: true, partialFilterExpression: { 'scim.user_name_key': { $exists: true } } },
  )
  .index(
    { tenant_id: 1, 'scim.external_id': 1 },
    { partialFilterExpression: { 'scim.external_id': { $exists: true } } },
  )
  .index({ 'totp.key_id': 1 }, { sparse: true })
  .index(
    { 'passkeys.credential_id': 1 },
    { unique: true, partialFilterExpression: { 'passkeys.credential_id': { $exists: true } } },
  );

const inviteSchema = new Schema<InviteDoc>(
  {
    ...ownedFields,
    email: required,
    role: required,
    hash: required,
    invited_by: required,
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    user_id: required,
    claimed_at: { type: Date, default: null },
  },
  durableOptions,
)
  .index({ tenant_id: 1, email: 1 }, { unique: true })
  .index({ hash: 1 }, { unique: true })
  .index({ expires_at: 1 }, { expireAfterSeconds: EXPIRED_INVITES_KEPT_SECONDS });

const mailTokenSchema = new Schema<MailTokenDoc>(
  {
    ...ownedFields,
    user_id: required,
    purpose: required,
    email: required,
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  durableOptions,
)
  .index({ tenant_id: 1, user_id: 1, purpose: 1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

const sessionSchema = new Schema<SessionDoc>(
  {
    ...ownedFields,
    user_id: required,
    via: required,
    device: { type: String, default: null },
    address: { type: String, default: null },
    created_at: { type: Date, required: true },
    last_used_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    confirmed_at: { type: Date },
  },
  durableOptions,
)
  .index({ tenant_id: 1, user_id: 1, created_at: -1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

const downloadSchema = new Schema<DownloadDoc>(
  {
    ...ownedFields,
    user_id: required,
    path: required,
    sealed: { type: Buffer, required: true },
    key_id: required,
    expires_at: { type: Date, required: true },
  },
  durableOptions,
)
  .index({ tenant_id: 1, user_id: 1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

const endedSessionSchema = new Schema<EndedSessionDoc>(
  { _id: required, expires_at: { type: Date, required: true } },
  durableOptions,
).index({ expires_at: 1 }, { expireAfterSeconds: 0 });

const apiKeySchema = new Schema<ApiKeyDoc>(
  {
    _id: required,
    tenant_id: required,
    user_id: required,
    name: required,
    prefix: required,
    hash: required,
    scope: { type: String },
    created_by: { type: String },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, default: null },
    rotated_at: { type: Date },
    previous: {
      type: new Schema({ hash: required, valid_until: { type: Date, required: true } }, { _id: false }),
    },
    last_used_at: { type: Date, default: null },
  },
  { versionKey: false },
)
  .index({ hash: 1 }, { unique: true })
  .index({ 'previous.hash': 1 }, { sparse: true })
  .index({ tenant_id: 1, created_at: 1 })
  .index({ tenant_id: 1, user_id: 1 });

/** The collections that the auth service owns, on one connection. */
export const authModels = (db: Connection) => ({
  tenants: db.model<TenantDoc>('Tenant', tenantSchema, 'tenants'),
  users: db.model<UserDoc>('User', userSchema, 'users'),
  apiKeys: db.model<ApiKeyDoc>('ApiKey', apiKeySchema, 'api_keys'),
  invites: db.model<InviteDoc>('Invite', inviteSchema, 'invites'),
  mailTokens: db.model<MailTokenDoc>('MailToken', mailTokenSchema, 'mail_tokens'),
  sessions: db.model<SessionDoc>('Session', sessionSchema, 'sessions'),
  downloads: db.model<DownloadDoc>('Download', downloadSchema, 'download_links'),
  endedSessions: db.model<EndedSessionDoc>('EndedSession', endedSessionSchema, 'ended_sessions'),
  brandings: brandingModel(db),
  ...ssoModels(db),
  ...scimModels(db),
});

export type AuthModels = ReturnType<typeof authModels>;

export async function createAuthIndexes(models: AuthModels): Promise<void> {
  await createIndexes(...Object.values(models));
}
