import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';

export const manifest: NodeManifest = {
  type: 'fail',
  version: 1,
  title: 'Fail',
  description: 'Fails with a message of your own. It is not tried again.',
  category: 'Flow',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      message: {
        type: 'string',
        title: 'Message',
        description: 'What went wrong, for people.',
        minLength: 1,
        examples: ['No stock left'],
      },
      code: {
        type: 'string',
        title: 'Code',
        description: 'What went wrong, for programs.',
        pattern: '^[A-Za-z][\\w.-]{0,63}$',
        default: 'failed',
        examples: ['no_stock'],
      },
    },
    ['message'],
  ),
  output: objectSchema({}),
};
