import type { NodeManifest } from '../../manifest';
import { durationSchema, objectSchema } from '../../schema';

/** Characters of a source. */
export const MAX_SOURCE = 65_536;

const source = {
  type: 'string',
  title: 'Source',
  description:
    'The body of a JavaScript function, which may await. It sees input, trigger, steps and loop, and what it returns is the output.',
  minLength: 1,
  maxLength: MAX_SOURCE,
  examples: ['return { total: input.prices.reduce((sum, price) => sum + price, 0) }'],
};

const input = {
  title: 'Input',
  description: 'Any value, which the source sees as input.',
  default: {},
  examples: [{ prices: '{{ trigger.body.prices }}' }],
};

export const manifest: NodeManifest = {
  type: 'code',
  version: 1,
  title: 'Code',
  description: 'Runs JavaScript that computes with the data of the run. It reaches no network and no files.',
  category: 'Code',
  // Time and chance may give another value when it is computed again after a crash; but whoever sees a value waits until
  // it is durable, so the one that was lost has been seen by nobody.
  effect: 'pure',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      source,
      input,
      timeout: durationSchema('Time-out', 'How long the source may take: 5 s unless it says so, at most 5 m.', '2s'),
    },
    ['source'],
  ),
  output: { type: 'object', description: 'What the source returns; what is no object becomes its `result`.' },
  tool: {
    name: 'code',
    description:
      'Runs the body of a JavaScript function (ES2023, no network, no modules, no timers) and returns what it returns. The value given as input is in the variable input.',
    parameters: objectSchema({ source, input }, ['source']),
  },
};
