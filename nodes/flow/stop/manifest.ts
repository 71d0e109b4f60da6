import type { NodeManifest } from '../../manifest';
import { atMostOneOf, objectSchema } from '../../schema';

export const manifest: NodeManifest = {
  type: 'stop',
  version: 1,
  title: 'Stop',
  description: 'Ends the run here: completed with an output, or failed with an error.',
  category: 'Flow',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      output: {
        title: 'Output',
        description: 'What the run returns. What is no object becomes its `result`.',
        examples: [{ ok: true }],
      },
      error: {
        title: 'Error',
        description: 'Ends the run as failed: a message, or a message and a code.',
        anyOf: [
          { type: 'string', minLength: 1 },
          objectSchema(
            {
              message: { type: 'string', title: 'Message', description: 'What people read.', minLength: 1 },
              code: {
                type: 'string',
                title: 'Code',
                description: 'A stable word for programs.',
                pattern: '^[A-Za-z][\\w.-]{0,63}$',
              },
            },
            ['message'],
          ),
        ],
        examples: ['Nothing to do', { message: 'Nothing to do', code: 'empty' }],
      },
    },
    [],
    atMostOneOf('output', 'error'),
  ),
  output: { type: 'object', description: 'The output of the run.' },
};
