import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { open, seal } from '../../../lib/crypto';
import type { Json, JsonObject } from '../../../lib/json';
import { computed, misconfigured, Refusal } from '../computed';
import { bytesIn, bytesOf, type Decoding, type Encoding } from './bytes';

/** The input as its schema promises it: what an operation needs is there. */
interface CryptoInput {
  operation: 'hash' | 'hmac' | 'verify_hmac' | 'encrypt' | 'decrypt' | 'random' | 'uuid';
  data: Json;
  data_encoding?: Decoding;
  key: string;
  key_encoding?: Decoding;
  algorithm?: string;
  encoding?: Encoding;
  signature: string;
  context?: string;
  bytes?: number;
}

const KEY_BYTES = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Hashes, signs, seals, and makes what cannot be guessed. */
export const run = computed((given): JsonObject => {
  // The runtime has checked the input against the manifest's schema.
  const input = given as unknown as CryptoInput;
  const { algorithm = 'sha256', encoding = 'hex' } = input;
  switch (input.operation) {
    case 'hash':
      return { value: createHash(algorithm).update(dataOf(input)).digest(encoding) };
    case 'hmac':
      return { value: digestOf(input, algorithm).toString(encoding) };
    case 'verify_hmac': {
      const signature = bytesOf(input.signature.trim(), encoding);
      return { valid: signature !== null && sameBytes(signature, digestOf(input, algorithm)) };
    }
    case 'encrypt':
      return { value: seal(sealingKey(input), dataOf(input), input.context ?? '').toString('base64') };
    case 'decrypt':
      return { value: opened(input) };
    case 'random':
      return { value: randomBytes(input.bytes ?? 32).toString(encoding) };
    case 'uuid':
      return { value: randomUUID() };
  }
});

/** Text as it is, or the bytes that it stands for; any other value as JSON. */
function dataOf({ data, data_encoding = 'utf8' }: CryptoInput): Buffer {
  return typeof data === 'string' ? bytesIn('data', data, data_encoding) : Buffer.from(JSON.stringify(data), 'utf8');
}

const digestOf = (input: CryptoInput, algorithm: string): Buffer =>
  createHmac(algorithm, bytesIn('key', input.key, input.key_encoding ?? 'utf8'))
    .update(dataOf(input))
    .digest();

/** Takes a time that tells nothing of where they differ; that they differ in length is no secret. */
const sameBytes = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

function sealingKey({ key, key_encoding = 'base64' }: CryptoInput): Buffer {
  const bytes = bytesIn('key', key, key_encoding);
  if (bytes.length !== KEY_BYTES)
    throw misconfigured(`"key" has ${bytes.length} bytes, but AES-256 takes ${KEY_BYTES}`);
  return bytes;
}

function opened(input: CryptoInput): string {
  const key = sealingKey(input);
  const sealed = typeof input.data === 'string' ? bytesOf(input.data.trim(), 'base64') : null;
  if (sealed === null) throw misconfigured('"data" is not base64');
  try {
    return utf8.decode(open(key, sealed, input.context ?? ''));
  } catch {
    // Which of them is wrong cannot be told apart, and nobody should learn it.
    throw new Refusal('not_decrypted', 'the data does not open: another key or context, or it has been changed');
  }
}
