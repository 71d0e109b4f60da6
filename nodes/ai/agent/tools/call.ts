import { isObject, type Json, type JsonObject } from '../../../../lib/json';
import type { LlmToolCall } from '../../../../lib/llm';
import type { NodeContext, CheckpointedResult, Outcome } from '../../../contract';
import { approvalNode } from '../../../flow/approval';
import { asNote, shortened, toolFailed, type ToolResult } from '../result';
import { problemOf, type Tool } from './tool';

/** The outcome of a tool call: a result for the model, or the outcome of the step. */
type Called =
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'outcome'; readonly outcome: Outcome };

/** Thrown to leave a sub-step with a pause: thrown values are not recorded. */
class Pause extends Error {
  constructor(readonly outcome: Extract<Outcome, { kind: 'wait' | 'start_child' }>) {
    super('the tool waits');
  }
}

/** True when the step was aborted during a tool call: the tool's result is then not meaningful. */
class Stopped extends Error {}

/**
 * Executes a tool call once for each `part`: checks the input, requests an approval if configured, and uses the tool. The
 * result is recorded, also a refusal, so that later attempts give the model the same.
 */
export async function callTool(
  ctx: NodeContext,
  tools: ReadonlyMap<string, Tool>,
  call: LlmToolCall,
  part: string,
): Promise<Called> {
  const known = ctx.checkpoint(part);
  if (known !== undefined) return { kind: 'result', result: resultIn(known) };
  const record = async (result: ToolResult): Promise<Called> => ({
    kind: 'result',
    result: resultIn(await ctx.once(part, async () => ({ value: asNote(result) }))),
  });
  const tool = tools.get(call.name);
  if (tool === undefined) {
    const there = tools.size === 0 ? 'there is none at all' : `there are ${[...tools.keys()].join(', ')}`;
    return record(toolFailed('unknown_tool', `there is no tool ${call.name}; ${there}`));
  }
  if (!isObject(call.input)) return record(toolFailed('invalid_input', 'the input is not a JSON object'));
  const { input } = call;
  const problem = await problemOf(tool, ctx.capabilities.compute, input);
  if (problem !== null) return record(toolFailed('invalid_input', problem));
  if (tool.approval !== null) {
    const asked = await askPeople(ctx, tool, input, `${part}/approval`);
    if (asked.kind !== 'approved') return asked.kind === 'rejected' ? record(asked.result) : asked;
  }
  return use(ctx, tool, input, part);
}

async function use(ctx: NodeContext, tool: Tool, input: JsonObject, part: string): Promise<Called> {
  try {
    const value = await ctx.once(
      part,
      async () => {
        const used = await tool.use(ctx, part, input);
        if (ctx.signal.aborted) throw new Stopped('the step was stopped');
        if (used.kind === 'pause') throw new Pause(used.outcome);
        return { value: asNote(used.result), ...(used.usage === undefined ? {} : { usage: used.usage }) };
      },
      tool.repeatable ? undefined : () => ({ value: asNote(UNKNOWN) }),
    );
    return { kind: 'result', result: resultIn(value) };
  } catch (thrown) {
    if (thrown instanceof Pause) return { kind: 'outcome', outcome: { ...thrown.outcome, note: part } };
    if (thrown instanceof Stopped) return { kind: 'outcome', outcome: STOPPED };
    throw thrown;
  }
}

const UNKNOWN = toolFailed(
  'interrupted',
  'the service stopped while this was being done: it is not known whether it was; do not simply repeat it',
);

/** The result of an attempt that is superseded. */
const STOPPED: Outcome = {
  kind: 'fail',
  error: { code: 'aborted', message: 'the step was stopped' },
  retryable: true,
};

type ApprovalResult =
  | { kind: 'approved' }
  | { kind: 'rejected'; result: ToolResult }
  | Extract<Called, { kind: 'outcome' }>;

const SHOWN_INPUT = 1_000;

async function askPeople(ctx: NodeContext, tool: Tool, input: JsonObject, part: string): Promise<ApprovalResult> {
  const answer = ctx.checkpoint(part);
  if (answer === undefined) {
    const shown = JSON.stringify(input);
    const message = `May the agent use ${tool.name} with ${shown.length > SHOWN_INPUT ? `${shown.slice(0, SHOWN_INPUT)}...` : shown}?`;
    const outcome = await approvalNode.run(ctx.within(part, { message, ...tool.approval }));
    return { kind: 'outcome', outcome: outcome.kind === 'wait' ? { ...outcome, note: part } : outcome };
  }
  const end = noteIn(answer);
  // The author has configured that the step fails after a timeout.
  if (!end.ok) return { kind: 'outcome', outcome: { kind: 'fail', error: end.error, retryable: false } };
  const { approved, comment } = end.output;
  if (approved === true) return { kind: 'approved' };
  const why = typeof comment === 'string' && comment !== '' ? `: ${comment}` : '';
  return { kind: 'rejected', result: toolFailed('rejected', `a person has rejected it${why}`) };
}

/** Notes are ours, or the runtime's: both write the same form. */
const noteIn = (note: Json): CheckpointedResult => note as unknown as CheckpointedResult;

function resultIn(note: Json): ToolResult {
  const end = noteIn(note);
  return end.ok ? { ok: true, output: shortened(end.output) } : end;
}
