import type { JsonSchema } from '../../contract';
import type { NodeManifest } from '../../manifest';
import { objectSchema, requiredWhen } from '../../schema';
import { DECODINGS, ENCODINGS } from './bytes';

const NEEDS = {
  hash: ['data'],
  hmac: ['data', 'key'],
  verify_hmac: ['data', 'key', 'signature'],
  encrypt: ['data', 'key'],
  decrypt: ['data', 'key'],
  random: [],
  uuid: [],
};

const decoding = (title: string, description: string): JsonSchema => ({
  type: 'string',
  title,
  description,
  enum: [...DECODINGS],
});

export const manifest: NodeManifest = {
  type: 'crypto',
  version: 1,
  title: 'Cryptography',
  description: 'Hashes and signs data, seals it with a key, and makes random values.',
  category: 'Data',
  // Random values too: a step that is repeated after a crash makes others, but nobody has seen the first ones, since
  // the record of a step is durable before anything outside can follow from it.
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      operation: {
        type: 'string',
        title: 'Operation',
        description:
          '`hash`; `hmac` signs with a key, and `verify_hmac` checks such a signature; `encrypt` and `decrypt` (AES-256-GCM); `random` bytes; a random `uuid`.',
        enum: Object.keys(NEEDS),
        examples: ['hmac'],
      },
      data: {
        title: 'Data',
        description: 'Text as it is; any other value as JSON text. For `decrypt`, what `encrypt` gave.',
        examples: ['{{ trigger.body.payload }}'],
      },
      data_encoding: {
        ...decoding('Encoding of the data', 'How the data is written when it stands for bytes.'),
        default: 'utf8',
      },
      key: {
        type: 'string',
        title: 'Key',
        description: 'The key, from a secret. `encrypt` and `decrypt` take one of 32 bytes.',
        minLength: 1,
        maxLength: 10_000,
        examples: ['{{ secret.SIGNING_KEY }}'],
      },
      key_encoding: decoding(
        'Encoding of the key',
        'How the key is written: utf8 for HMAC unless said otherwise, base64 for `encrypt` and `decrypt`.',
      ),
      algorithm: {
        type: 'string',
        title: 'Algorithm',
        description: 'The hash function. md5 and sha1 only for what asks for them.',
        enum: ['sha256', 'sha384', 'sha512', 'sha1', 'md5'],
        default: 'sha256',
      },
      encoding: {
        type: 'string',
        title: 'Encoding',
        description: 'How the hash, the signature or the random bytes are written.',
        enum: [...ENCODINGS],
        default: 'hex',
      },
      signature: {
        type: 'string',
        title: 'Signature',
        description: 'The signature to check, without any prefix.',
        maxLength: 1_000,
        examples: ['{{ trigger.body.signature }}'],
      },
      context: {
        type: 'string',
        title: 'Context',
        description: 'What sealed data belongs to; it opens only with the same.',
        maxLength: 10_000,
      },
      bytes: {
        type: 'integer',
        title: 'Bytes',
        description: 'How many, for `random`.',
        minimum: 1,
        maximum: 1_024,
        default: 32,
      },
    },
    ['operation'],
    requiredWhen('operation', NEEDS),
  ),
  output: objectSchema({
    value: { type: 'string', title: 'Value', description: 'The result of every operation but `verify_hmac`.' },
    valid: { type: 'boolean', title: 'Valid', description: 'Whether the signature is that of the data and the key.' },
  }),
};
