import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { failFinally } from '../outcome';
import { objectSchema } from '../schema';

/** Fails as the author says. */
function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the input schema.
  const { message, code = 'failed' } = ctx.input as { message: string; code?: string };
  return failFinally(code, ctx.redact(message));
}

export const failNode = defineNode({
  type: 'fail',
  title: 'Fail',
  description: 'Fails the step with your own message. It is not retried.',
  category: 'Flow',
  effect: 'pure',
  input: objectSchema(
    {
      message: {
        type: 'string',
        title: 'Message',
        description: 'Error message for people.',
        minLength: 1,
        examples: ['No stock left'],
      },
      code: {
        type: 'string',
        title: 'Code',
        description: 'Error code for programs.',
        pattern: '^[A-Za-z][\\w.-]{0,63}$',
        default: 'failed',
        examples: ['no_stock'],
      },
    },
    ['message'],
  ),
  output: objectSchema({}),
  run,
});
