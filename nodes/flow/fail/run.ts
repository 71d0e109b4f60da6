import type { NodeContext, Outcome } from '../../contract';
import { failFinally } from '../../outcome';

/** Fails as the author says. */
export function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the manifest's schema.
  const { message, code = 'failed' } = ctx.input as { message: string; code?: string };
  return failFinally(code, ctx.mask(message));
}
