import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** SHA-256 in lower-case hex. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** HMAC-SHA-256. */
export const hmac = (key: Buffer, data: string | Uint8Array): Buffer => createHmac('sha256', key).update(data).digest();

/** A 256-bit key for one purpose, derived from a parent key (HKDF-SHA-256, RFC 5869). */
export const deriveKey = (parent: Buffer, purpose: string, salt = ''): Buffer =>
  Buffer.from(hkdfSync('sha256', parent, salt, purpose, 32));

/** Compares two texts in constant time; only their lengths may leak. */
export function sameText(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}

/**
 * Encrypts with AES-256-GCM: `iv || tag || ciphertext`. `context` is associated data: a value copied elsewhere fails to
 * decrypt.
 */
export function seal(key: Buffer, plain: string | Uint8Array, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/** Decrypts the result of `seal`. @throws Error when the key, the context or any byte differs */
export function open(key: Buffer, sealed: Uint8Array, context: string): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
