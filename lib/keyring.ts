import { deriveKey, hmac, open, seal } from './crypto';
import { AppError } from './errors';

const DERIVED_KEPT = 4_000;

/** An encrypted value as stored: `iv || tag || ciphertext`, and the id of its master key. */
export interface Sealed {
  sealed: Buffer;
  key_id: string;
}

/** The same as read from the database: drivers return binary data in a type of their own on lean reads. */
export interface StoredSeal {
  readonly sealed: Uint8Array | { readonly buffer: Uint8Array };
  readonly key_id: string;
}

/** What a value is encrypted for. Each purpose and salt (such as a tenant) has its own derived key. */
export interface SealPurpose {
  readonly purpose: string;
  readonly salt?: string;
  /** Associated data: a value copied elsewhere fails to decrypt. */
  readonly context: readonly string[];
  /** Name of the value in error messages: `secret TOKEN`. */
  readonly what: string;
}

/** Id of a master key. Reveals nothing about the key. */
export const masterKeyId = (master: Buffer): string => hmac(master, 'key id').toString('hex').slice(0, 16);

/**
 * The master keys of this process. Values are encrypted with the newest (AES-256-GCM) and decrypted with any. The key
 * id is stored with each value and bound to it.
 */
export class Keyring {
  readonly #masters: ReadonlyMap<string, Buffer>;
  readonly #derived = new Map<string, Buffer>();
  /** Id of the key that encrypts. */
  readonly newestId: string;

  constructor(newest: Buffer, others: readonly Buffer[] = []) {
    this.#masters = new Map([newest, ...others].map((master) => [masterKeyId(master), master]));
    this.newestId = masterKeyId(newest);
  }

  /** Ids of all keys, newest first. */
  get ids(): readonly string[] {
    return [...this.#masters.keys()];
  }

  seal({ purpose, salt = '', context }: SealPurpose, plain: string | Uint8Array): Sealed {
    const key_id = this.newestId;
    return { sealed: seal(this.#derive(key_id, purpose, salt), plain, bound(context, key_id)), key_id };
  }

  /** @throws AppError sealed_unreadable, with a message for the operator, when the value cannot be decrypted */
  open({ purpose, salt = '', context, what }: SealPurpose, stored: StoredSeal): Buffer {
    const { key_id } = stored;
    if (!this.#masters.has(key_id)) {
      throw new AppError(
        'sealed_unreadable',
        `The ${what} is encrypted with another MASTER_KEY (${key_id}; configured: ${this.ids.join(', ')}); add that key to MASTER_KEY_PREVIOUS or store the ${what.split(' ')[0]} again`,
      );
    }
    try {
      return open(this.#derive(key_id, purpose, salt), bytesOf(stored.sealed), bound(context, key_id));
    } catch (cause) {
      throw new AppError(
        'sealed_unreadable',
        `The ${what} cannot be decrypted: its stored bytes were changed; store it again`,
        {},
        { cause },
      );
    }
  }

  #derive(keyId: string, purpose: string, salt: string): Buffer {
    const name = JSON.stringify([keyId, purpose, salt]);
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    if (this.#derived.size >= DERIVED_KEPT) this.#derived.clear();
    const key = deriveKey(this.#masters.get(keyId) as Buffer, purpose, salt);
    this.#derived.set(name, key);
    return key;
  }
}

const bound = (context: readonly string[], keyId: string): string => JSON.stringify([...context, keyId]);

const bytesOf = (stored: StoredSeal['sealed']): Uint8Array => (stored instanceof Uint8Array ? stored : stored.buffer);
