import { type Connection, Schema } from 'mongoose';
import type { Sealed } from '../../lib/keyring';
import type { OAuthProvider } from '../../lib/oauth-config';
import {
  durableOptions,
  type Owned,
  ownedFields,
  requiredText,
  optionalText,
  requiredNumber,
  requiredDate,
} from '../../lib/tenant';
import { useModel } from '../../lib/nonce-store';
import type { ConnectionLimitsView } from '../../contracts/connections';
import type { AppDefinition } from './oauth-apps/definition';

/** The lease of the process that refreshes a token. */
export interface Refreshing {
  by: string;
  since: Date;
}

/** An account at a provider. */
export interface ConnectionDoc extends Owned, Sealed {
  kind: 'oauth' | 'manual';
  /** The connector of a manual connection, or the provider of an OAuth one. */
  connector: string;
  /** Unique in the tenant and never a UUID, because steps refer to a connection by name or id. */
  name: string;
  /** The stored status. An expired token without a refresh token is detected by `expires_at`. */
  status: 'active' | 'revoked';
  account: string | null;
  /** The OAuth app that issued its tokens; null for the built-in providers and manual connections. */
  app_id: string | null;
  /** The account's id at the provider, by which it is found when it is reconnected. */
  subject: string | null;
  scopes: string[];
  /** When the access token expires; null when it does not expire or is unknown. */
  expires_at: Date | null;
  /** The full lifetime of the access token in milliseconds. */
  lifetime_ms: number | null;
  /** True if a refresh token is stored. */
  renewable: boolean;
  /** Incremented by every change of the credentials. */
  generation: number;
  refreshing: Refreshing | null;
  /** The next refresh after the provider was unreachable. */
  retry_at: Date | null;
  last_error: string | null;
  /** Null, or absent in older connections: none. */
  limits?: ConnectionLimitsView | null;
  /** Steps wait until then, as the provider asked for it. */
  paused_until?: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
}

/** A client at an OAuth provider, registered by a tenant. Sealed: its secret. */
export interface OAuthAppDoc extends Owned, Sealed {
  /** Unique in the tenant. */
  name: string;
  client_id: string;
  /** False for a public client. */
  has_secret: boolean;
  definition: AppDefinition;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** The tokens of a flow without a ticket, until a user claims them. */
export interface ClaimDoc extends Sealed {
  /** SHA-256 of the code. */
  _id: string;
  provider: OAuthProvider;
  expires_at: Date;
}

const date = { type: Date, default: null } as const;
const sealed = { sealed: { type: Buffer, required: true }, key_id: requiredText } as const;

const connectionSchema = new Schema<ConnectionDoc>(
  {
    ...ownedFields,
    ...sealed,
    kind: requiredText,
    connector: requiredText,
    name: requiredText,
    status: requiredText,
    account: optionalText,
    subject: optionalText,
    app_id: optionalText,
    scopes: { type: [String], default: [] },
    expires_at: date,
    lifetime_ms: { type: Number, default: null },
    renewable: { type: Boolean, default: false },
    generation: requiredNumber,
    refreshing: {
      type: new Schema<Refreshing>({ by: requiredText, since: requiredDate }, { _id: false }),
      default: null,
    },
    retry_at: date,
    last_error: optionalText,
    limits: { type: Schema.Types.Mixed, default: null },
    paused_until: date,
    created_by: requiredText,
    created_at: requiredDate,
    updated_at: requiredDate,
    last_used_at: date,
  },
  durableOptions,
)
  .index({ tenant_id: 1, name: 1 }, { unique: true })
  .index({ key_id: 1 });

const appSchema = new Schema<OAuthAppDoc>(
  {
    ...ownedFields,
    ...sealed,
    name: requiredText,
    client_id: requiredText,
    has_secret: { type: Boolean, required: true },
    definition: { type: Schema.Types.Mixed, required: true },
    created_by: requiredText,
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  durableOptions,
)
  .index({ tenant_id: 1, name: 1 }, { unique: true })
  .index({ key_id: 1 });

const claimSchema = new Schema<ClaimDoc>(
  { _id: requiredText, provider: requiredText, ...sealed, expires_at: requiredDate },
  durableOptions,
).index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** The collections of connections, on one database. */
export const connectionModels = (db: Connection) => ({
  connections: db.model<ConnectionDoc>('Connection', connectionSchema, 'connections'),
  claims: db.model<ClaimDoc>('ConnectionClaim', claimSchema, 'connection_claims'),
  apps: db.model<OAuthAppDoc>('OAuthApp', appSchema, 'oauth_apps'),
  uses: useModel(db, 'ConnectionUse', 'connection_uses'),
});

export type ConnectionModels = ReturnType<typeof connectionModels>;
