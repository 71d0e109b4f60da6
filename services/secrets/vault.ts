import { deriveKey, hmac, open, seal } from '../../lib/crypto';
import { AppError } from '../../lib/errors';

const KEYS_KEPT = 1_000;

/** A value as it lies in the database. */
export interface Sealed {
  sealed: Buffer;
  key_id: string;
}

/**
 * Seals and opens values with AES-256-GCM under a key of their tenant's own, derived from the master key. Tenant, name
 * and key id are bound in, so that a sealed value copied to another name or tenant does not open there.
 */
export class Vault {
  readonly #master: Buffer;
  readonly #keyId: string;
  readonly #tenantKeys = new Map<string, Buffer>();

  constructor(master: Buffer) {
    this.#master = master;
    this.#keyId = hmac(master, 'key id').toString('hex').slice(0, 16);
  }

  seal(tenantId: string, name: string, value: string): Sealed {
    const sealed = seal(this.#keyOf(tenantId), value, context(tenantId, name, this.#keyId));
    return { sealed, key_id: this.#keyId };
  }

  /** @throws AppError sealed_unreadable, in words for the operator, when the value cannot be what was sealed. */
  open(tenantId: string, name: string, stored: { sealed: Uint8Array; key_id: string }): string {
    if (stored.key_id !== this.#keyId) {
      throw new AppError(
        'sealed_unreadable',
        `The secret ${name} was sealed under another MASTER_KEY (${stored.key_id}, this one is ${this.#keyId}); restore that key or store the secret again`,
      );
    }
    try {
      return open(this.#keyOf(tenantId), stored.sealed, context(tenantId, name, this.#keyId)).toString();
    } catch (cause) {
      throw new AppError(
        'sealed_unreadable',
        `The secret ${name} cannot be opened: its stored bytes were changed; store it again`,
        {},
        { cause },
      );
    }
  }

  #keyOf(tenantId: string): Buffer {
    const known = this.#tenantKeys.get(tenantId);
    if (known !== undefined) return known;
    if (this.#tenantKeys.size >= KEYS_KEPT) this.#tenantKeys.clear();
    const key = deriveKey(this.#master, 'everstep secrets', tenantId);
    this.#tenantKeys.set(tenantId, key);
    return key;
  }
}

const context = (tenantId: string, name: string, keyId: string): string => JSON.stringify([tenantId, name, keyId]);
