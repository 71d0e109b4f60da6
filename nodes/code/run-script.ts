import type { Json, JsonObject } from '../../lib/json';
import { SandboxAborted, type SandboxErrorCode } from '../../lib/sandbox';
import type { NodeContext } from '../contract';
import type { Failed } from '../outcome';

/** Retryable faults of the sandbox itself; all others are the script's, and would occur again. */
const PASSING: ReadonlySet<SandboxErrorCode> = new Set(['overloaded', 'crashed']);

/** A script with its variables; its timeout in milliseconds. */
interface ScriptRequest {
  readonly source: string;
  readonly globals: JsonObject;
  readonly timeoutMs: number;
}

/** The result of a user's script, or its failure. Console lines go to the log. */
export async function runScript(
  ctx: Pick<NodeContext, 'capabilities' | 'signal' | 'log' | 'redact'>,
  asked: ScriptRequest,
): Promise<{ readonly kind: 'value'; readonly value: Json } | Failed> {
  try {
    const result = await ctx.capabilities.sandbox.run({ ...asked, signal: ctx.signal });
    for (const { level, message } of result.lines) ctx.log(level, ctx.redact(message));
    if (result.kind === 'value') return { kind: 'value', value: result.value };
    const { code, message } = result;
    return { kind: 'fail', error: { code, message: ctx.redact(message) }, retryable: PASSING.has(code) };
  } catch (thrown) {
    if (!(thrown instanceof SandboxAborted)) throw thrown;
    return { kind: 'fail', error: { code: 'aborted', message: thrown.message }, retryable: true };
  }
}
