import type { Model } from 'mongoose';
import type { Keyring, Sealed, SealPurpose, StoredSeal } from '../../lib/keyring';
import { type AnySealedCollection, sealedCollection } from '../../mixins/key-rotation';
import type { SecretDoc } from './models';

/**
 * Encrypts and decrypts secrets with a key of their tenant, derived from the master key. Tenant and name are authenticated,
 * so that an encrypted value that is copied to another name or tenant cannot be decrypted there.
 */
export class Vault {
  constructor(private readonly keyring: Keyring) {}

  seal(tenantId: string, name: string, value: string): Sealed {
    return this.keyring.seal(purpose(tenantId, name), value);
  }

  /** @throws AppError sealed_unreadable, with a message for the operator, when the value or its key is wrong */
  open(tenantId: string, name: string, stored: StoredSeal): string {
    return this.keyring.open(purpose(tenantId, name), stored).toString();
  }
}

/** Re-encrypts secrets after a rotation of the master key. */
export const sealedSecrets = (model: Model<SecretDoc>, vault: Vault): AnySealedCollection =>
  sealedCollection({
    model,
    keyPath: 'key_id',
    fields: ['sealed', 'key_id'],
    reseal: (secret) => vault.seal(secret.tenant_id, secret.name, vault.open(secret.tenant_id, secret.name, secret)),
  });

const purpose = (tenantId: string, name: string): SealPurpose => ({
  purpose: 'everstep secrets',
  salt: tenantId,
  context: [tenantId, name],
  what: `secret ${name}`,
});
