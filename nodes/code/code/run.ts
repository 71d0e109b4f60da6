import type { Json } from '../../../lib/json';
import type { NodeContext, Outcome } from '../../contract';
import { asOutput, done } from '../../outcome';
import { runScript } from '../run-script';
import { scriptTimeout } from '../timeout';
import { scopeOf } from './scope';

/** The input as its schema promises it. */
interface CodeInput {
  source: string;
  input?: Json;
  timeout?: string | number;
}

/** Runs the source in the sandbox. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const { source, input = {}, timeout } = ctx.input as unknown as CodeInput;
  const timeoutMs = scriptTimeout(timeout);
  if (typeof timeoutMs !== 'number') return timeoutMs;
  const ran = await runScript(ctx, { source, globals: scopeOf(source, input, () => ctx.run()), timeoutMs });
  return ran.kind === 'value' ? done(asOutput(ran.value)) : ran;
}
