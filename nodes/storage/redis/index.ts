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
    'URL, preferably from a secret, or its parts; rediss:// for TLS.',
    {
      database: {
        type: 'integer',
        title: 'Database',
        description: 'Number of the database.',
        minimum: 0,
        maximum: 99_999,
      },
      tls: { type: 'boolean', title: 'TLS', description: 'Uses TLS and verifies the certificate.' },
    },
    ['{{ secret.REDIS_URL }}', { host: 'cache.example.com', password: '{{ secret.REDIS_PASSWORD }}' }],
  ),
  command: {
    type: 'string',
    title: 'Command',
    description:
      'Runs a command that reads or writes data; blocking, scripting and administrative commands are refused.',
    minLength: 1,
    maxLength: 64,
    examples: ['GET', 'HSET', 'INCR'],
  },
  args: {
    type: 'array',
    title: 'Arguments',
    description: 'Arguments in order. Anything but text is sent as JSON.',
    maxItems: 10_000,
    default: [],
    examples: [['order:{{ trigger.body.id }}', 'state', 'paid']],
  },
  binary: {
    type: 'boolean',
    title: 'Result in base64',
    description: 'For binary values.',
    default: false,
  },
  timeout: durationSchema('Time-out', 'For connecting and the result. Default: 10 s.', '5s'),
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
    { result: { title: 'Result', description: 'Result; null if there is none. HGETALL returns an object.' } },
    ['result'],
  ),
  run,
});
