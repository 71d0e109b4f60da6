import type { Json, JsonObject } from '../../lib/json';
import { SandboxAborted, type SandboxErrorCode } from '../../lib/sandbox';
import type { NodeContext } from '../contract';
import type { Failed } from '../outcome';

/** The sandbox's own trouble, which may be over at the next try; all else is the script's, and would come again. */
const PASSING: ReadonlySet<SandboxErrorCode> = new Set(['overloaded', 'crashed']);

/** A script and what it sees; its time-out in milliseconds. */
export interface ScriptAsked {
  readonly source: string;
  readonly globals: JsonObject;
  readonly timeoutMs: number;
}

/** What a script of a user returns, or why it does not. Its console lines go to the log. */
export async function runScript(
  ctx: Pick<NodeContext, 'means' | 'signal' | 'log' | 'mask'>,
  asked: ScriptAsked,
): Promise<{ readonly kind: 'value'; readonly value: Json } | Failed> {
  try {
    const result = await ctx.means.sandbox.run({ ...asked, signal: ctx.signal });
    for (const { level, message } of result.lines) ctx.log(level, ctx.mask(message));
    if (result.kind === 'value') return { kind: 'value', value: result.value };
    const { code, message } = result;
    return { kind: 'fail', error: { code, message: ctx.mask(message) }, retryable: PASSING.has(code) };
  } catch (thrown) {
    if (!(thrown instanceof SandboxAborted)) throw thrown;
    return { kind: 'fail', error: { code: 'aborted', message: thrown.message }, retryable: true };
  }
}
