import { addressOf, iterationOf } from '../../../dsl';
import { canonicalJson } from '../../../lib/json';
import type { ComparedSide, ComparedStep, ComparedValue } from '../../../contracts/executions/comparison';
import type { LoopView } from '../../../contracts/executions/loop-view';
import type { BegunStep, MergedStep } from './merged-steps';

/** What of a step was read besides its summary. */
interface ReadStep {
  readonly loops: { readonly a?: LoopView; readonly b?: LoopView };
  readonly input: ComparedValue | null;
  readonly output: ComparedValue | null;
}

/** The comparison of a step of two runs. Pure. */
export function comparedStep(merged: MergedStep, { loops, input, output }: ReadStep): ComparedStep {
  const { path, a, b } = merged;
  const { def } = (merged.a ?? merged.b).step;
  const both = a !== null && b !== null;
  const differs = both ? differencesOf(a, b, { loops, input, output }) : [];
  return {
    path,
    address: addressOf(path),
    step_id: def.id,
    iteration: iterationOf(path),
    type: def.type,
    result: both ? (differs.length === 0 ? 'same' : 'different') : a === null ? 'only_in_b' : 'only_in_a',
    differs,
    a: a === null ? null : sideOf(a, loops.a),
    b: b === null ? null : sideOf(b, loops.b),
    input,
    output,
  };
}

function differencesOf(a: BegunStep, b: BegunStep, { loops, input, output }: ReadStep): ComparedStep['differs'] {
  const [was, is] = [a.begun.summary, b.begun.summary];
  const differs: ComparedStep['differs'] = [];
  if (a.step.def.type !== b.step.def.type) differs.push('type');
  if (was.status !== is.status) differs.push('status');
  if (wasExecuted(a) && wasExecuted(b) && was.attempt !== is.attempt) differs.push('attempts');
  if (was.error?.code !== is.error?.code || was.error?.message !== is.error?.message) differs.push('error');
  if (input?.same === false) differs.push('input');
  if (output?.same === false) differs.push('output');
  if (textOf(loops.a) !== textOf(loops.b)) differs.push('loop');
  return differs;
}

/** False for a step that was skipped, or taken over from an earlier run: it has no attempts and no input. */
export const wasExecuted = ({ begun }: BegunStep): boolean => begun.summary.attempt > 0;

const textOf = (loop: LoopView | undefined): string | null =>
  loop === undefined ? null : JSON.stringify([loop.total, loop.begun, canonicalJson(loop.steps)]);

const sideOf = ({ begun: { summary } }: BegunStep, loop: LoopView | undefined): ComparedSide => ({
  status: summary.status,
  attempts: summary.attempt,
  started_at: summary.startedAt === null ? null : new Date(summary.startedAt).toISOString(),
  duration_ms: summary.durationMs,
  error: summary.error,
  input_tokens: summary.inputTokens,
  output_tokens: summary.outputTokens,
  cost_usd: summary.costUsd,
  ...(loop === undefined ? {} : { loop }),
});
