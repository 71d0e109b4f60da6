import { createCipheriv, createDecipheriv } from 'node:crypto';
import { deriveKey } from './crypto';
import { isUuid } from './ids';

/** Keys of AES-128. */
const KEY_BYTES = 16;

/**
 * Ids in public addresses that do not disclose the ids they stand for: one block of AES-128 for each. The same id has the
 * same public id, so that nothing is stored.
 */
export class OpaqueIds {
  readonly #key: Buffer;

  /** `purpose`: the public ids of one purpose are unknown to another. */
  constructor(key: Buffer, purpose: string) {
    this.#key = deriveKey(key, purpose).subarray(0, KEY_BYTES);
  }

  /** The public id of a UUID. */
  toPublic(id: string): string {
    const cipher = createCipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false);
    return textOf(Buffer.concat([cipher.update(bytesOf(id)), cipher.final()]));
  }

  /** The UUID of a public id; null for a text that is none. A made-up public id stands for an id that does not exist. */
  fromPublic(text: string): string | null {
    if (!isUuid(text)) return null;
    const decipher = createDecipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false);
    return textOf(Buffer.concat([decipher.update(bytesOf(text)), decipher.final()]));
  }
}

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** 16 bytes in the form of a UUID, whatever its version. */
function textOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
