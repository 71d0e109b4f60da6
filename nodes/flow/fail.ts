import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { failFinally } from '../outcome';
import { filledText, objectSchema, text } from '../schema';

/** Fails with the configured code and message. */
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
      message: filledText('Error message for people.', 'No stock left'),
      code: text('Error code for programs.', 'no_stock', { pattern: '^[A-Za-z][\\w.-]{0,63}$', default: 'failed' }),
    },
    ['message'],
  ),
  output: objectSchema({}),
  run,
});
