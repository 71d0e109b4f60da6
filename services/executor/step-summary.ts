import { stepIdOf } from '../../dsl';
import { addUsd } from '../../lib/usd';
import type { StepEntry } from '../../runtime/core/entries/entry';
import type { RunError, StepStatus } from '../../contracts/executions/views';

/** The state of a step without its values. Times in epoch milliseconds. */
export interface StepSummary {
  status: StepStatus;
  attempt: number;
  startedAt: number | null;
  endedAt: number | null;
  durationMs: number | null;
  error: RunError | null;
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
}

export const pendingSummary = (): StepSummary => ({
  status: 'pending',
  attempt: 0,
  startedAt: null,
  endedAt: null,
  durationMs: null,
  error: null,
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
});

/** Folds an entry of the step into its summary, which it changes. */
export function addToSummary(summary: StepSummary, entry: StepEntry): void {
  switch (entry.kind) {
    case 'step.started':
      summary.status = 'running';
      summary.attempt = entry.attempt;
      summary.startedAt = entry.at;
      summary.endedAt = null;
      summary.error = null;
      return;
    case 'step.opened':
      summary.status = 'running';
      summary.attempt = 1;
      summary.startedAt = entry.at;
      summary.error = null;
      return;
    case 'step.waiting':
      summary.status = 'waiting';
      summary.attempt = entry.attempt;
      summary.startedAt = entry.started;
      summary.error = null;
      return;
    case 'step.resumed':
      summary.status = 'running';
      summary.error = null;
      return;
    case 'step.noted':
      return addUsage(summary, entry);
    case 'step.completed':
      settle(summary, entry);
      addUsage(summary, entry);
      summary.status = 'completed';
      summary.error = null;
      return;
    case 'step.failed':
      settle(summary, entry);
      addUsage(summary, entry);
      summary.status = entry.retryAt === null ? 'failed' : 'retrying';
      summary.error = { ...entry.error, step_id: stepIdOf(entry.culprit ?? entry.path) };
      return;
    case 'step.skipped':
      summary.status = 'skipped';
      summary.endedAt = entry.at;
      return;
    case 'step.cancelled':
      summary.status = 'cancelled';
      summary.endedAt = entry.at;
      summary.durationMs = summary.startedAt === null ? null : entry.at - summary.startedAt;
      return;
    case 'loop.turn':
    case 'loop.item':
      // The steps of the loop have entries of their own.
      return;
  }
}

/** Times of a finished attempt. For a step that waited, the start before the wait counts. */
function settle(summary: StepSummary, entry: Extract<StepEntry, { started: number; kind: string }>): void {
  if (summary.status !== 'waiting' || summary.startedAt === null) summary.startedAt = entry.started;
  summary.attempt = entry.attempt;
  summary.endedAt = entry.at;
  summary.durationMs = entry.at - summary.startedAt;
}

/** Adds the usage of an entry: checkpoints and attempts both use tokens, also when the attempt fails. */
function addUsage(
  summary: StepSummary,
  { usage }: Extract<StepEntry, { kind: 'step.noted' | 'step.completed' | 'step.failed' }>,
): void {
  if (usage === undefined) return;
  summary.inputTokens = sum(summary.inputTokens, usage.input_tokens);
  summary.outputTokens = sum(summary.outputTokens, usage.output_tokens);
  if (usage.cost_usd !== undefined) summary.costUsd = addUsd(summary.costUsd ?? 0, usage.cost_usd);
}

const sum = (before: number | null, more: number | undefined): number | null =>
  more === undefined ? before : (before ?? 0) + more;
