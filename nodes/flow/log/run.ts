import type { Json } from '../../../lib/json';
import type { NodeContext, Outcome } from '../../contract';
import { done } from '../../outcome';

/** The input as its schema promises it. */
interface LogInput {
  message: Json;
  level?: 'debug' | 'info' | 'warn' | 'error';
  data?: Json;
}

/** Writes one line. */
export function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the manifest's schema.
  const { message, level = 'info', data } = ctx.input as unknown as LogInput;
  const text = ctx.mask(typeof message === 'string' ? message : JSON.stringify(message));
  ctx.log(level, text, data);
  return done({ level, message: text });
}
