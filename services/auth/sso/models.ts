import { type Connection, Schema } from 'mongoose';
import type { Sealed } from '../../../lib/keyring';
import { durableOptions, ownedFields } from '../../../lib/tenant';
import { useModel } from '../../../lib/nonce-store';
import type { MappableRole, SsoProvider, SsoTestReport } from '../../../contracts/auth/sso';

/** An OpenID provider. */
export interface OidcSettings {
  issuer: string;
  client_id: string;
  scopes: string[];
}

/** A SAML identity provider. */
export interface SamlSettings {
  entry_point: string;
  /** Entity id. */
  issuer: string;
  /** PEM: one certificate, or several during a key rotation. */
  certificate: string;
}

/** Single sign-on of one tenant. */
export interface SsoConfigDoc {
  /** The tenant's id. */
  _id: string;
  tenant_id: string;
  provider: SsoProvider;
  enabled: boolean;
  enforce: boolean;
  /** Domains of addresses for which `enforce` applies alone. Absent in documents of earlier versions. */
  enforce_domains?: string[];
  oidc: OidcSettings | null;
  /** Encrypted OpenID client secret; null for a public client and for SAML. */
  client_secret: Sealed | null;
  saml: SamlSettings | null;
  /** Role of users without a mapped group; null rejects them. */
  default_role: MappableRole | null;
  role_mapping: { claim: string; values: { value: string; role: MappableRole }[] } | null;
  /** Base URL of the service at setup time. The provider has its callback URL registered. */
  base_url: string;
  created_at: Date;
  updated_at: Date;
}

/** A test of the settings by an owner, which signs no user in. */
export interface SsoTestDoc {
  _id: string;
  tenant_id: string;
  /** Who has started it, and alone sees what it brings. */
  user_id: string;
  /** SHA-256 of the token in its link, in hex. */
  token_hash: string;
  created_at: Date;
  expires_at: Date;
  begun_at: Date | null;
  /** Of the request to the provider, which the cookie of the browser names. */
  request_id: string | null;
  /** What a posted SAML response says, until the browser shows that it has begun the test. */
  posted: SsoTestReport | null;
  report: SsoTestReport | null;
  finished_at: Date | null;
}

const required = { type: String, required: true } as const;
const role = { type: String, default: null } as const;

const ssoConfigSchema = new Schema<SsoConfigDoc>(
  {
    ...ownedFields,
    provider: required,
    enabled: { type: Boolean, required: true },
    enforce: { type: Boolean, required: true },
    enforce_domains: { type: [String], default: undefined },
    oidc: {
      type: new Schema<OidcSettings>(
        { issuer: required, client_id: required, scopes: { type: [String], required: true } },
        { _id: false },
      ),
      default: null,
    },
    client_secret: {
      type: new Schema<Sealed>({ sealed: { type: Buffer, required: true }, key_id: required }, { _id: false }),
      default: null,
    },
    saml: {
      type: new Schema<SamlSettings>(
        { entry_point: required, issuer: required, certificate: required },
        { _id: false },
      ),
      default: null,
    },
    default_role: role,
    role_mapping: {
      type: new Schema(
        { claim: required, values: { type: [new Schema({ value: required, role: required }, { _id: false })] } },
        { _id: false },
      ),
      default: null,
    },
    base_url: required,
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  durableOptions,
)
  .index({ tenant_id: 1 }, { unique: true })
  .index({ 'client_secret.key_id': 1 }, { sparse: true });

const ssoTestSchema = new Schema<SsoTestDoc>(
  {
    ...ownedFields,
    user_id: required,
    token_hash: required,
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    begun_at: { type: Date, default: null },
    request_id: { type: String, default: null },
    posted: { type: Schema.Types.Mixed, default: null },
    report: { type: Schema.Types.Mixed, default: null },
    finished_at: { type: Date, default: null },
  },
  durableOptions,
)
  .index({ token_hash: 1 }, { unique: true })
  .index({ tenant_id: 1, created_at: 1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** The collections of single sign-on, on one connection. */
export const ssoModels = (db: Connection) => ({
  ssoConfigs: db.model<SsoConfigDoc>('SsoConfig', ssoConfigSchema, 'sso_configs'),
  ssoTests: db.model<SsoTestDoc>('SsoTest', ssoTestSchema, 'sso_tests'),
  signInUses: useModel(db, 'SignInUse', 'sign_in_uses'),
});

export type SsoModels = ReturnType<typeof ssoModels>;
