import type { Effect } from '../../contract';
import { defineNode } from '../../contract/define';
import { anyValue, durationSchema, filledText, flag, integer, objectSchema } from '../../schema';
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
      database: integer('Number of the database.', { minimum: 0, maximum: 99_999 }),
      tls: flag('Uses TLS and verifies the certificate.', { title: 'TLS' }),
    },
    ['{{ secret.REDIS_URL }}', { host: 'cache.example.com', password: '{{ secret.REDIS_PASSWORD }}' }],
  ),
  command: filledText(
    'Runs a command that reads or writes data; blocking, scripting and administrative commands are refused.',
    { maxLength: 64, examples: ['GET', 'HSET', 'INCR'] },
  ),
  args: {
    type: 'array',
    title: 'Arguments',
    description: 'Arguments in order. Anything but text is sent as JSON.',
    maxItems: 10_000,
    default: [],
    examples: [['order:{{ trigger.body.id }}', 'state', 'paid']],
  },
  binary: flag('For binary values.', { title: 'Result in base64', default: false }),
  timeout: durationSchema('Time-out', 'For connecting and the result. Default: 10 s.', '5s'),
} as const;

export const redisNode = defineNode({
  type: 'redis',
  title: 'Redis',
  description: 'Runs one command on a Redis server.',
  category: 'Storage',
  effect: effectOf,
  // An interrupted write may have been made; reads are repeated without a question.
  onInterrupted: 'ask',
  input: objectSchema(properties, ['connection', 'command']),
  output: objectSchema({ result: anyValue('Result; null if there is none. HGETALL returns an object.') }, ['result']),
  run,
});
