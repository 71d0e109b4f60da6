import { deriveKey, hmac, open, seal } from './crypto';
import { AppError } from './errors';

const DERIVED_KEPT = 4_000;

/** A value as it lies in the database: `iv || tag || ciphertext`, and which master key it is under. */
export interface Sealed {
  sealed: Buffer;
  key_id: string;
}

/** The same as drivers give it back: binary data as a type of their own on lean reads. */
export interface StoredSeal {
  readonly sealed: Uint8Array | { readonly buffer: Uint8Array };
  readonly key_id: string;
}

/** What a value is sealed for. Each purpose and salt (such as a tenant) has a key of its own. */
export interface SealPurpose {
  readonly purpose: string;
  readonly salt?: string;
  /** Bound in, so that a sealed value copied elsewhere does not open there. */
  readonly context: readonly string[];
  /** What it is in words for the operator: `secret TOKEN`. */
  readonly what: string;
}

/** A name of a master key that says nothing about the key. */
export const masterKeyId = (master: Buffer): string => hmac(master, 'key id').toString('hex').slice(0, 16);

/**
 * The master keys that this process knows. Values are sealed under the newest one (AES-256-GCM) and open under any; the
 * id of the key is stored beside each value and bound into it.
 */
export class Keyring {
  readonly #masters: ReadonlyMap<string, Buffer>;
  readonly #derived = new Map<string, Buffer>();
  /** Id of the key that seals. */
  readonly newestId: string;

  constructor(newest: Buffer, others: readonly Buffer[] = []) {
    this.#masters = new Map([newest, ...others].map((master) => [masterKeyId(master), master]));
    this.newestId = masterKeyId(newest);
  }

  /** Ids of the known keys, the newest first. */
  get ids(): readonly string[] {
    return [...this.#masters.keys()];
  }

  seal({ purpose, salt = '', context }: SealPurpose, plain: string | Uint8Array): Sealed {
    const key_id = this.newestId;
    return { sealed: seal(this.#derive(key_id, purpose, salt), plain, bound(context, key_id)), key_id };
  }

  /** @throws AppError sealed_unreadable, in words for the operator, when the value cannot be what was sealed. */
  open({ purpose, salt = '', context, what }: SealPurpose, stored: StoredSeal): Buffer {
    const { key_id } = stored;
    if (!this.#masters.has(key_id)) {
      throw new AppError(
        'sealed_unreadable',
        `The ${what} was sealed under another MASTER_KEY (${key_id}; known here: ${this.ids.join(', ')}); add that key to MASTER_KEY_PREVIOUS or store the ${what.split(' ')[0]} again`,
      );
    }
    try {
      return open(this.#derive(key_id, purpose, salt), bytesOf(stored.sealed), bound(context, key_id));
    } catch (cause) {
      throw new AppError(
        'sealed_unreadable',
        `The ${what} cannot be opened: its stored bytes were changed; store it again`,
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
