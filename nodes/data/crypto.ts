import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { open, seal } from '../../lib/crypto';
import type { Json, JsonObject } from '../../lib/json';
import type { JsonSchema } from '../contract';
import { defineNode } from '../contract/define';
import { anyValue, choice, filledText, flag, integer, objectSchema, requiredWhen, text } from '../schema';
import { computed, misconfigured, Refusal } from './computed';

/** How bytes are written in text that is read. */
const DECODINGS = ['utf8', 'hex', 'base64'] as const;
/** How bytes are written in text that is given out. */
const ENCODINGS = ['hex', 'base64', 'base64url'] as const;

type Decoding = (typeof DECODINGS)[number];
type Encoding = (typeof ENCODINGS)[number];

const HEX = /^(?:[0-9a-f]{2})*$/i;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The bytes of a text; null when it is not written so. Base64 may be of either alphabet. */
function bytesOf(text: string, encoding: Decoding | Encoding): Buffer | null {
  if (encoding === 'utf8') return Buffer.from(text, 'utf8');
  const written = encoding === 'hex' ? HEX.test(text) : BASE64.test(text);
  return written ? Buffer.from(text, encoding) : null;
}

/** The same of a key of the input. @throws Refusal that names it, and shows nothing of it */
function bytesIn(name: string, text: string, encoding: Decoding): Buffer {
  const bytes = bytesOf(text, encoding);
  if (bytes === null) throw misconfigured(`"${name}" is not ${encoding}`);
  return bytes;
}

/** The input, validated by the schema: the fields of the operation are present. */
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

/** Hashes, signs, encrypts, and generates random values. */
const run = computed('crypto', (given): JsonObject => {
  // The runtime has checked the input against the input schema.
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

/** Text, or the bytes that it encodes; any other value as JSON. */
function dataOf({ data, data_encoding = 'utf8' }: CryptoInput): Buffer {
  return typeof data === 'string' ? bytesIn('data', data, data_encoding) : Buffer.from(JSON.stringify(data), 'utf8');
}

const digestOf = (input: CryptoInput, algorithm: string): Buffer =>
  createHmac(algorithm, bytesIn('key', input.key, input.key_encoding ?? 'utf8'))
    .update(dataOf(input))
    .digest();

/** Compares in constant time; a difference in length is not secret. */
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

const NEEDS = {
  hash: ['data'],
  hmac: ['data', 'key'],
  verify_hmac: ['data', 'key', 'signature'],
  encrypt: ['data', 'key'],
  decrypt: ['data', 'key'],
  random: [],
  uuid: [],
};

const decoding = (title: string, description: string): JsonSchema => choice([...DECODINGS], description, { title });

export const cryptoNode = defineNode({
  type: 'crypto',
  title: 'Cryptography',
  description: 'Hashes, signs and encrypts data, and generates random values.',
  category: 'Data',
  // Random values too: a step that is repeated after a crash makes others, but nobody has seen the first ones, since
  // the record of a step is durable before anything outside can follow from it.
  effect: 'pure',
  input: objectSchema(
    {
      operation: choice(
        Object.keys(NEEDS),
        '`hash`; `hmac` signs with a key, and `verify_hmac` checks such a signature; `encrypt` and `decrypt` (AES-256-GCM); `random` bytes; a random `uuid`.',
        { examples: ['hmac'] },
      ),
      data: anyValue(
        'Text as is; any other value as JSON text. For `decrypt`, the result of `encrypt`.',
        '{{ trigger.body.payload }}',
      ),
      data_encoding: {
        ...decoding('Encoding of the data', 'How the data is written when it stands for bytes.'),
        default: 'utf8',
      },
      key: filledText('Key, from a secret. `encrypt` and `decrypt` require 32 bytes.', '{{ secret.SIGNING_KEY }}', {
        maxLength: 10_000,
      }),
      key_encoding: decoding(
        'Encoding of the key',
        'How the key is written: utf8 for HMAC unless said otherwise, base64 for `encrypt` and `decrypt`.',
      ),
      algorithm: choice(
        ['sha256', 'sha384', 'sha512', 'sha1', 'md5'],
        'Hash function. Use md5 and sha1 only where another system requires them.',
        { default: 'sha256' },
      ),
      encoding: choice([...ENCODINGS], 'Encoding of the hash, signature or random bytes.', { default: 'hex' }),
      signature: text('Signature to verify, without prefix.', '{{ trigger.body.signature }}', { maxLength: 1_000 }),
      context: text('Additional authenticated data; decryption requires the same value.', { maxLength: 10_000 }),
      bytes: integer('Number of bytes for `random`.', { minimum: 1, maximum: 1_024, default: 32 }),
    },
    ['operation'],
    requiredWhen('operation', NEEDS),
  ),
  output: objectSchema({
    value: text('Result of every operation except `verify_hmac`.'),
    valid: flag('Whether the signature matches the data and key.'),
  }),
  run,
});
