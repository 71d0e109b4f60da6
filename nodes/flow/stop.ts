import type { Json } from '../../lib/json';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { asOutput } from '../outcome';
import { anyValue, atMostOneOf, filledText, objectSchema, text } from '../schema';

/** The input, validated by the schema. */
interface StopInput {
  output?: Json;
  error?: string | { message: string; code?: string };
}

/** Ends the run, completed or failed. */
function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the input schema.
  const { output = {}, error } = ctx.input as unknown as StopInput;
  if (error === undefined) return { kind: 'stop', output: asOutput(output) };
  const { message, code = 'stopped' } = typeof error === 'string' ? { message: error } : error;
  return { kind: 'stop', error: { code, message: ctx.redact(message) } };
}

export const stopNode = defineNode({
  type: 'stop',
  title: 'Stop',
  description: 'Ends the run: completed with an output, or failed with an error.',
  category: 'Flow',
  effect: 'pure',
  input: objectSchema(
    {
      output: anyValue('Output of the run. A value that is not an object becomes `result`.', { ok: true }),
      error: {
        title: 'Error',
        description: 'Ends the run as failed: a message, or a message and a code.',
        anyOf: [
          { type: 'string', minLength: 1 },
          objectSchema(
            {
              message: filledText('Message for people.'),
              code: text('Code for programs.', { pattern: '^[A-Za-z][\\w.-]{0,63}$' }),
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
  run,
});
