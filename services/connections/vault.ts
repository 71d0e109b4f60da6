import type { Model } from 'mongoose';
import type { Keyring, Sealed, SealPurpose, StoredSeal } from '../../lib/keyring';
import { type AnySealedCollection, sealedCollection } from '../../mixins/key-rotation';
import type { ConnectionDoc } from './models';
import type { Tokens } from './oauth/provider-profile';

/** The credentials of a connection. They leave this service only for steps. */
export interface StoredCredentials {
  /** The values for steps: fields of a manual connection, or `access_token` and additional values. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly token_type: string;
  readonly refresh_token: string | null;
}

/** Tokens as credentials. Keeps the previous refresh token when the response has none (RFC 6749 section 6). */
export const credentialsFrom = (tokens: Tokens, before?: StoredCredentials): StoredCredentials => ({
  credentials: { ...before?.credentials, ...tokens.extra, access_token: tokens.accessToken },
  token_type: tokens.tokenType,
  refresh_token: tokens.refreshToken ?? before?.refresh_token ?? null,
});

/**
 * Encrypts credentials with a key per tenant. Tenant and connection are authenticated data, so a ciphertext that is copied to
 * another record cannot be decrypted.
 */
export class Vault {
  constructor(private readonly keyring: Keyring) {}

  seal(tenantId: string, id: string, stored: StoredCredentials): Sealed {
    return this.keyring.seal(ofConnection(tenantId, id), JSON.stringify(stored));
  }

  /** @throws AppError sealed_unreadable */
  open(connection: Pick<ConnectionDoc, '_id' | 'tenant_id'> & StoredSeal): StoredCredentials {
    return JSON.parse(
      String(this.keyring.open(ofConnection(connection.tenant_id, connection._id), connection)),
    ) as StoredCredentials;
  }

  /** Encrypts tokens of a claim, which has no owner yet. */
  sealClaim(id: string, tokens: Tokens): Sealed {
    return this.keyring.seal(ofClaim(id), JSON.stringify(tokens));
  }

  /** @throws AppError sealed_unreadable */
  openClaim(claim: { _id: string } & StoredSeal): Tokens {
    return JSON.parse(String(this.keyring.open(ofClaim(claim._id), claim))) as Tokens;
  }
}

/** Re-encrypts connections when the master key is rotated. */
export const sealedConnections = (model: Model<ConnectionDoc>, vault: Vault): AnySealedCollection =>
  sealedCollection({
    model,
    keyPath: 'key_id',
    fields: ['sealed', 'key_id'],
    reseal: (connection) => vault.seal(connection.tenant_id, connection._id, vault.open(connection)),
  });

const PURPOSE = 'everstep connections';

const ofConnection = (tenantId: string, id: string): SealPurpose => ({
  purpose: PURPOSE,
  salt: tenantId,
  context: [tenantId, id],
  what: `connection ${id}`,
});

const ofClaim = (id: string): SealPurpose => ({
  purpose: PURPOSE,
  context: ['claim', id],
  what: 'unclaimed connection',
});
