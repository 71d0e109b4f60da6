import { type Connection, Schema } from 'mongoose';
import type { Sealed } from '../../lib/keyring';
import type { OAuthWord } from '../../lib/oauth-config';
import { durableOptions, type Owned, ownedFields } from '../../mixins/tenant';
import { useModel } from '../../mixins/uses';

/** Who renews a token now. */
export interface Refreshing {
  by: string;
  since: Date;
}

/** An account at a provider. */
export interface ConnectionDoc extends Owned, Sealed {
  kind: 'oauth' | 'manual';
  /** The connector of a manual one, the provider of an OAuth one. */
  connector: string;
  /** Unique in the tenant, and never a UUID: steps may name either. */
  name: string;
  /** That a token without renewal has ended is seen by its time. */
  status: 'active' | 'revoked';
  account: string | null;
  /** The account's own id at the provider, by which it is found when it is connected again. */
  subject: string | null;
  scopes: string[];
  /** When the access token ends; null where it does not, or nobody knows. */
  expires_at: Date | null;
  /** How long the access token counted from the beginning, in milliseconds. */
  lifetime_ms: number | null;
  /** Whether there is a refresh token. */
  renewable: boolean;
  /** Rises with every change of the credentials. */
  generation: number;
  refreshing: Refreshing | null;
  /** Not to be renewed before, since the provider could not be reached. */
  retry_at: Date | null;
  last_error: string | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
}

/** What a flow without a ticket has brought, until somebody takes it. */
export interface ClaimDoc extends Sealed {
  /** SHA-256 of its code. */
  _id: string;
  provider: OAuthWord;
  expires_at: Date;
}

const required = { type: String, required: true } as const;
const text = { type: String, default: null } as const;
const date = { type: Date, default: null } as const;
const sealed = { sealed: { type: Buffer, required: true }, key_id: required } as const;

const connectionSchema = new Schema<ConnectionDoc>(
  {
    ...ownedFields,
    ...sealed,
    kind: required,
    connector: required,
    name: required,
    status: required,
    account: text,
    subject: text,
    scopes: { type: [String], default: [] },
    expires_at: date,
    lifetime_ms: { type: Number, default: null },
    renewable: { type: Boolean, default: false },
    generation: { type: Number, required: true },
    refreshing: {
      type: new Schema<Refreshing>({ by: required, since: { type: Date, required: true } }, { _id: false }),
      default: null,
    },
    retry_at: date,
    last_error: text,
    created_by: required,
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    last_used_at: date,
  },
  durableOptions,
)
  .index({ tenant_id: 1, name: 1 }, { unique: true })
  .index({ key_id: 1 });

const claimSchema = new Schema<ClaimDoc>(
  { _id: required, provider: required, ...sealed, expires_at: { type: Date, required: true } },
  durableOptions,
).index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** The collections of connections, on one database. */
export const connectionModels = (db: Connection) => ({
  connections: db.model<ConnectionDoc>('Connection', connectionSchema, 'connections'),
  claims: db.model<ClaimDoc>('ConnectionClaim', claimSchema, 'connection_claims'),
  uses: useModel(db, 'ConnectionUse', 'connection_uses'),
});

export type ConnectionModels = ReturnType<typeof connectionModels>;
