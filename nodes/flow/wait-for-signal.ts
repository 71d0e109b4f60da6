import type { NodeContext, OnTimeout, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { invalidConfig } from '../outcome';
import { choice, durationSchema, filledText, flag, objectSchema, outputOf } from '../schema';
import { deadlineOf, INVALID_TIMEOUT } from './deadline';

/** Decides what to wait for and until when; the runtime matches signals. */
function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the input schema.
  const { signal, on_timeout = 'fail' } = ctx.input as { signal: string; on_timeout?: 'fail' | 'continue' };
  const until = deadlineOf(ctx);
  if (until === 'invalid') return invalidConfig(INVALID_TIMEOUT);
  const onTimeout: OnTimeout =
    on_timeout === 'continue'
      ? { kind: 'complete', output: { timed_out: true } }
      : { kind: 'fail', error: { code: 'timed_out', message: `no signal "${ctx.redact(signal)}" came in time` } };
  return { kind: 'wait', wait: { kind: 'signal', signal, until, onTimeout } };
}

export const waitForSignalNode = defineNode({
  type: 'wait_for_signal',
  title: 'Wait for signal',
  description: "Pauses the run until a signal of this name arrives. The output is the signal's data.",
  category: 'Flow',
  effect: 'pure',
  input: objectSchema(
    {
      signal: filledText('Name of the signal.', 'payment-received', { maxLength: 128 }),
      timeout: durationSchema('Time-out', 'How long to wait. Default: no limit.', '7d'),
      on_timeout: choice(
        ['fail', 'continue'],
        '`fail` fails the step; `continue` completes it with `timed_out: true`.',
        { default: 'fail' },
      ),
    },
    ['signal'],
  ),
  output: {
    ...outputOf({ timed_out: flag('True if no signal arrived in time.') }),
    description: 'Data of the signal.',
  },
  run,
});
