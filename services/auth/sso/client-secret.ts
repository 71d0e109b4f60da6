import type { Model } from 'mongoose';
import type { Keyring, Sealed, StoredSeal } from '../../../lib/keyring';
import { type AnySealedCollection, sealedCollection } from '../../../mixins/key-rotation';
import type { SsoConfigDoc } from './models';

/** The tenant is authenticated data, so a ciphertext copied to another tenant cannot be decrypted. */
const purpose = (tenantId: string) => ({
  purpose: 'everstep sso',
  salt: tenantId,
  context: [tenantId, 'client secret'],
  what: 'client secret of single sign-on',
});

/** Encrypts a client secret with the key of its tenant. */
export const sealClientSecret = (keyring: Keyring, tenantId: string, secret: string): Sealed =>
  keyring.seal(purpose(tenantId), secret);

/** @throws AppError sealed_unreadable */
export const openClientSecret = (keyring: Keyring, tenantId: string, stored: StoredSeal): string =>
  keyring.open(purpose(tenantId), stored).toString();

/** Re-encrypts client secrets when the master key is rotated. */
export const sealedClientSecrets = (configs: Model<SsoConfigDoc>, keyring: Keyring): AnySealedCollection =>
  sealedCollection<SsoConfigDoc>({
    model: configs,
    keyPath: 'client_secret.key_id',
    fields: ['client_secret'],
    reseal: ({ tenant_id, client_secret }) =>
      client_secret === null
        ? {}
        : { client_secret: sealClientSecret(keyring, tenant_id, openClientSecret(keyring, tenant_id, client_secret)) },
  });
