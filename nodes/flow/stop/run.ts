import type { Json } from '../../../lib/json';
import type { NodeContext, Outcome } from '../../contract';
import { asOutput } from '../../outcome';

/** The input as its schema promises it. */
interface StopInput {
  output?: Json;
  error?: string | { message: string; code?: string };
}

/** Ends the run, completed or failed. */
export function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the manifest's schema.
  const { output = {}, error } = ctx.input as unknown as StopInput;
  if (error === undefined) return { kind: 'stop', output: asOutput(output) };
  const { message, code = 'stopped' } = typeof error === 'string' ? { message: error } : error;
  return { kind: 'stop', error: { code, message: ctx.mask(message) } };
}
