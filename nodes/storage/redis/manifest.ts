import type { Effect } from '../../contract';
import type { NodeManifest } from '../../manifest';
import { durationSchema, objectSchema } from '../../schema';
import { commandKind } from './commands';

const ca = {
  type: 'string',
  title: 'Certificate authority',
  description: 'One to trust besides the well-known ones, in PEM.',
  maxLength: 100_000,
} as const;

/** A command that is still unknown, because it is an expression, may change something. */
const effectOf = (config: { readonly command?: unknown }): Effect =>
  typeof config.command === 'string' && commandKind(config.command) === 'read' ? 'read' : 'write';

const properties = {
  connection: {
    title: 'Connection',
    description: 'A URL, best from a secret, or its parts; rediss:// for TLS.',
    anyOf: [
      { type: 'string', minLength: 1, maxLength: 10_000 },
      objectSchema(
        {
          url: {
            type: 'string',
            title: 'URL',
            description: 'With user, password and database in it.',
            minLength: 1,
            maxLength: 10_000,
          },
          ca,
        },
        ['url'],
      ),
      objectSchema(
        {
          host: {
            type: 'string',
            title: 'Host',
            description: 'Name or address of the server.',
            minLength: 1,
            maxLength: 253,
          },
          port: {
            type: 'integer',
            title: 'Port',
            description: "The protocol's own unless it says so.",
            minimum: 1,
            maximum: 65_535,
          },
          user: { type: 'string', title: 'User name', description: 'Who logs in.', maxLength: 512 },
          password: { type: 'string', title: 'Password', description: 'Best from a secret.', maxLength: 10_000 },
          database: {
            type: 'integer',
            title: 'Database',
            description: 'Number of the database.',
            minimum: 0,
            maximum: 99_999,
          },
          tls: { type: 'boolean', title: 'TLS', description: 'Encrypts, and verifies the certificate.' },
          ca,
        },
        ['host'],
      ),
    ],
    examples: ['{{ secret.REDIS_URL }}', { host: 'cache.example.com', password: '{{ secret.REDIS_PASSWORD }}' }],
  },
  command: {
    type: 'string',
    title: 'Command',
    description: 'One that asks or changes data; none that waits, runs scripts or changes the server.',
    minLength: 1,
    maxLength: 64,
    examples: ['GET', 'HSET', 'INCR'],
  },
  args: {
    type: 'array',
    title: 'Arguments',
    description: 'In order. Text goes as it is, any other value as JSON.',
    maxItems: 10_000,
    default: [],
    examples: [['order:{{ trigger.body.id }}', 'state', 'paid']],
  },
  binary: {
    type: 'boolean',
    title: 'Answer in base64',
    description: 'For values that are no text.',
    default: false,
  },
  timeout: durationSchema('Time-out', 'For connecting and the answer; 10 s unless it says so.', '5s'),
} as const;

export const manifest: NodeManifest = {
  type: 'redis',
  version: 1,
  title: 'Redis',
  description: 'Runs one command on a Redis server.',
  category: 'Storage',
  effect: effectOf,
  // A change that was under way may have been made; what only asks is repeated without a question.
  onInterrupted: 'ask',
  input: objectSchema(properties, ['connection', 'command']),
  output: objectSchema(
    { result: { title: 'Result', description: 'null where there is nothing; HGETALL gives an object.' } },
    ['result'],
  ),
};
