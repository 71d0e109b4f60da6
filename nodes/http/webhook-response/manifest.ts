import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';

export const manifest: NodeManifest = {
  type: 'webhook_response',
  version: 1,
  title: 'Webhook response',
  description: 'What the caller of a synchronous webhook gets: status, headers and body.',
  category: 'HTTP',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema({
    status: {
      type: 'integer',
      title: 'Status',
      description: 'HTTP status of the answer.',
      minimum: 200,
      maximum: 599,
      default: 200,
      examples: [200, 404],
    },
    headers: {
      type: 'object',
      title: 'Headers',
      description: 'Names and values; a list sends the header several times; null leaves it out.',
      additionalProperties: {
        anyOf: [
          { type: 'string' },
          { type: 'number' },
          { type: 'boolean' },
          { type: 'null' },
          { type: 'array', items: { type: 'string' } },
        ],
      },
      default: {},
      examples: [{ 'cache-control': 'no-store' }],
    },
    body: { title: 'Body', description: 'Text is sent as it is, anything else as JSON.', examples: [{ ok: true }] },
  }),
  output: objectSchema(
    {
      status: { type: 'integer', title: 'Status', description: 'As it is sent.' },
      headers: {
        type: 'object',
        title: 'Headers',
        description: 'Lower-case names.',
        additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      },
      body: { title: 'Body', description: 'As it is sent.' },
    },
    ['status', 'headers', 'body'],
  ),
};
