import type { Effect } from '../../contract';
import { defineNode } from '../../contract/define';
import { durationSchema, objectSchema } from '../../schema';
import { connectionSchema } from '../connection-schema';
import { commandKind } from './commands';
import { run } from './run';

/** A command that is still unknown, because it is an expression, may change something. */
const effectOf = (config: { readonly command?: unknown }): Effect =>
  typeof config.command === 'string' && commandKind(config.command) === 'read' ? 'read' : 'write';

const properties = {
  connection: connectionSchema(
    'A URL, best from a secret, or its parts; rediss:// for TLS.',
    {
      database: {
        type: 'integer',
        title: 'Database',
        description: 'Number of the database.',
        minimum: 0,
        maximum: 99_999,
      },
      tls: { type: 'boolean', title: 'TLS', description: 'Encrypts, and verifies the certificate.' },
    },
    ['{{ secret.REDIS_URL }}', { host: 'cache.example.com', password: '{{ secret.REDIS_PASSWORD }}' }],
  ),
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

export const redisNode = defineNode({
  type: 'redis',
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
  run,
});
