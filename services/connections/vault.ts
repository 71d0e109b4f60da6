import type { Model } from 'mongoose';
import type { Keyring, Sealed, SealPurpose, StoredSeal } from '../../lib/keyring';
import { type AnySealedCollection, sealedCollection } from '../../mixins/keys/rotation';
import type { ConnectionDoc } from './models';
import type { Tokens } from './oauth/dialect';

/** What a connection shows its provider. Never outside of this service, but for what steps are given. */
export interface Held {
  /** What steps get: fields of a manual connection; `access_token` and what came beside it. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly token_type: string;
  readonly refresh_token: string | null;
}

/** Tokens of a provider as they are kept; a refresh token that is not given anew stays (RFC 6749 section 6). */
export const heldOf = (tokens: Tokens, before?: Held): Held => ({
  credentials: { ...before?.credentials, ...tokens.extra, access_token: tokens.accessToken },
  token_type: tokens.tokenType,
  refresh_token: tokens.refreshToken ?? before?.refresh_token ?? null,
});

/**
 * Seals credentials under a key of their tenant's own. Tenant and connection are bound in, so that sealed bytes that are
 * copied elsewhere do not open there.
 */
export class Vault {
  constructor(private readonly keyring: Keyring) {}

  seal(tenantId: string, id: string, held: Held): Sealed {
    return this.keyring.seal(ofConnection(tenantId, id), JSON.stringify(held));
  }

  /** @throws AppError sealed_unreadable */
  open(connection: Pick<ConnectionDoc, '_id' | 'tenant_id'> & StoredSeal): Held {
    return JSON.parse(
      String(this.keyring.open(ofConnection(connection.tenant_id, connection._id), connection)),
    ) as Held;
  }

  /** What nobody's is yet. */
  sealClaim(id: string, tokens: Tokens): Sealed {
    return this.keyring.seal(ofClaim(id), JSON.stringify(tokens));
  }

  /** @throws AppError sealed_unreadable */
  openClaim(claim: { _id: string } & StoredSeal): Tokens {
    return JSON.parse(String(this.keyring.open(ofClaim(claim._id), claim))) as Tokens;
  }
}

/** How connections follow the master key. */
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
