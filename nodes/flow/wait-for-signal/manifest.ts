import type { NodeManifest } from '../../manifest';
import { durationSchema, objectSchema } from '../../schema';

export const manifest: NodeManifest = {
  type: 'wait_for_signal',
  version: 1,
  title: 'Wait for signal',
  description: "Pauses the run until a signal of this name arrives. The signal's data is the output.",
  category: 'Flow',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      signal: {
        type: 'string',
        title: 'Signal',
        description: 'Name of the signal.',
        minLength: 1,
        maxLength: 128,
        examples: ['payment-received'],
      },
      timeout: durationSchema('Time-out', 'How long to wait; without it, for ever.', '7d'),
      on_timeout: {
        type: 'string',
        title: 'When none arrives',
        description: '`fail` fails the step; `continue` completes it with `timed_out: true`.',
        enum: ['fail', 'continue'],
        default: 'fail',
      },
    },
    ['signal'],
  ),
  output: {
    type: 'object',
    description: "The signal's data.",
    properties: {
      timed_out: { type: 'boolean', title: 'Timed out', description: 'True when no signal came in time.' },
    },
  },
};
