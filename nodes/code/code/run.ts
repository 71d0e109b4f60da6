import { parseDuration } from '../../../lib/duration';
import type { Json } from '../../../lib/json';
import { SandboxAborted, type SandboxErrorCode } from '../../../lib/sandbox';
import type { NodeContext, Outcome } from '../../contract';
import { asOutput, done, invalidConfig } from '../../outcome';
import { scopeOf } from './scope';

/** The input as its schema promises it. */
interface CodeInput {
  source: string;
  input?: Json;
  timeout?: string | number;
}

const TIMEOUT_MS = 5_000;
/** A script keeps a thread that others could use. */
const MAX_TIMEOUT_MS = 5 * 60_000;

/** The sandbox's own trouble, which may be over at the next try; all else is the script's, and would come again. */
const PASSING: ReadonlySet<SandboxErrorCode> = new Set(['overloaded', 'crashed']);

/** Runs the source in the sandbox. Its console lines go to the log. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const { source, input = {}, timeout } = ctx.input as unknown as CodeInput;
  const timeoutMs = timeout === undefined ? TIMEOUT_MS : parseDuration(timeout);
  if (timeoutMs === null || timeoutMs === 0 || timeoutMs > MAX_TIMEOUT_MS)
    return invalidConfig('"timeout" must be a duration above zero and at most 5m, as 10s');
  const globals = scopeOf(source, input, () => ctx.run());
  try {
    const result = await ctx.means.sandbox.run({ source, globals, timeoutMs, signal: ctx.signal });
    for (const { level, message } of result.lines) ctx.log(level, ctx.mask(message));
    if (result.kind === 'value') return done(asOutput(result.value));
    const { code, message } = result;
    return { kind: 'fail', error: { code, message: ctx.mask(message) }, retryable: PASSING.has(code) };
  } catch (thrown) {
    if (!(thrown instanceof SandboxAborted)) throw thrown;
    return { kind: 'fail', error: { code: 'aborted', message: thrown.message }, retryable: true };
  }
}
