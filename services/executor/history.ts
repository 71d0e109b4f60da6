import type { PreparedPlan, PreparedStep } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import type { Entry } from '../../runtime/record/entry';
import { stepIdOf } from '../../runtime/record/state';
import { hideMarks } from '../../runtime/rules/veil';
import type { RunError, RunEvent, StepStatus, StepView } from './contract';

type StepEntry = Exclude<Entry, { kind: 'run.ended' }>;

const iso = (ms: number): string => new Date(ms).toISOString();

/** One record per step, as far as the history tells; steps that have not begun are `pending`, at their places. */
export function stepViews(plan: PreparedPlan, entries: readonly Entry[]): StepView[] {
  const views = new Map([...plan.byPath.values()].map((step) => [step.path, pending(step)]));
  for (const entry of entries) {
    if (entry.kind === 'run.ended') continue;
    const view = views.get(entry.path);
    if (view !== undefined) Object.assign(view, change(view, entry));
  }
  return [...views.values()];
}

function pending(step: PreparedStep): StepView {
  return {
    step_id: step.def.id,
    path: step.path,
    iteration: null,
    type: step.def.type,
    status: 'pending',
    attempt: 0,
    config: step.def.config,
    input: null,
    output: null,
    error: null,
    started_at: null,
    ended_at: null,
    duration_ms: null,
    input_tokens: null,
    output_tokens: null,
    cost_usd: null,
    feedback: null,
    attempts: [],
  };
}

/** What an entry changes in the record of its step. */
function change(view: StepView, entry: StepEntry): Partial<StepView> {
  const input: Partial<StepView> =
    'input' in entry && entry.input !== undefined ? { input: hideMarks(entry.input) } : {};
  switch (entry.kind) {
    case 'step.started':
      return {
        ...input,
        status: 'running',
        attempt: entry.attempt,
        started_at: iso(entry.at),
        ended_at: null,
        error: null,
      };
    case 'step.waiting':
      return { ...input, status: 'waiting', attempt: entry.attempt, started_at: iso(entry.started), error: null };
    case 'step.resumed':
      return { status: 'running', error: null };
    case 'step.completed':
      return {
        ...input,
        ...settled(view, entry),
        status: 'completed',
        output: hideMarks(entry.output),
        error: null,
        input_tokens: entry.usage?.input_tokens ?? null,
        output_tokens: entry.usage?.output_tokens ?? null,
        cost_usd: entry.usage?.cost_usd ?? null,
      };
    case 'step.failed': {
      const error: RunError = { ...entry.error, step_id: stepIdOf(entry.path) };
      const failed = { ...input, ...settled(view, entry), error };
      const attempts = [
        ...(view.attempts ?? []),
        { attempt: entry.attempt, error, started_at: failed.started_at, ended_at: iso(entry.at) },
      ];
      return { ...failed, status: entry.retryAt === null ? 'failed' : 'retrying', attempts };
    }
    case 'step.skipped':
      return { status: 'skipped', ended_at: iso(entry.at) };
    case 'step.cancelled':
      return { status: 'cancelled', ended_at: iso(entry.at), duration_ms: durationOf(view.started_at, entry.at) };
  }
}

const durationOf = (startedAt: string | null, endedMs: number): number | null =>
  startedAt === null ? null : endedMs - Date.parse(startedAt);

/** Times of an attempt that settled. A step that waited began before it was resumed: the earlier start counts. */
function settled(view: StepView, entry: Extract<StepEntry, { started: number }>) {
  const begun = view.status === 'waiting' && view.started_at !== null ? view.started_at : iso(entry.started);
  return {
    attempt: entry.attempt,
    started_at: begun,
    ended_at: iso(entry.at),
    duration_ms: entry.at - Date.parse(begun),
  };
}

/**
 * The stream's events for entries that stand behind `after` earlier ones. `public` shows how far a run is, and its
 * output; never what came in, a step's input or output, or more of an error than its message.
 */
export function runEvents(
  entries: readonly Entry[],
  after: number,
  audience: 'tenant' | 'public',
  type: (path: string) => string,
): RunEvent[] {
  return entries.map((entry, index) => ({
    position: after + index + 1,
    ...(entry.kind === 'run.ended' ? endEvent(entry, audience) : stepEvent(entry, audience, type)),
  }));
}

function endEvent(
  entry: Extract<Entry, { kind: 'run.ended' }>,
  audience: 'tenant' | 'public',
): Omit<RunEvent, 'position'> {
  const error =
    entry.error === null ? null : audience === 'public' ? { message: entry.error.message } : { ...entry.error };
  return {
    event: 'end',
    data: { status: entry.status, output: hideMarks(entry.output), error, ended_at: iso(entry.at) },
  };
}

const STATUS: Record<StepEntry['kind'], StepStatus> = {
  'step.started': 'running',
  'step.waiting': 'waiting',
  'step.resumed': 'running',
  'step.completed': 'completed',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
  'step.cancelled': 'cancelled',
};

function stepEvent(
  entry: StepEntry,
  audience: 'tenant' | 'public',
  type: (path: string) => string,
): Omit<RunEvent, 'position'> {
  const data: JsonObject = {
    step_id: stepIdOf(entry.path),
    path: entry.path,
    type: type(entry.path),
    status: entry.kind === 'step.failed' && entry.retryAt !== null ? 'retrying' : STATUS[entry.kind],
    attempt: 'attempt' in entry ? entry.attempt : null,
    at: iso(entry.at),
  };
  if (entry.kind === 'step.failed') {
    data.error = audience === 'public' ? { message: entry.error.message } : { ...entry.error };
    if (entry.retryAt !== null) data.retry_at = iso(entry.retryAt);
  }
  if (audience === 'tenant' && 'input' in entry && entry.input !== undefined) data.input = hideMarks(entry.input);
  if (audience === 'tenant' && entry.kind === 'step.completed') data.output = hideMarks(entry.output);
  if (entry.kind === 'step.waiting')
    data.waiting = { kind: entry.wait.kind, until: entry.wait.until === null ? null : iso(entry.wait.until) };
  return { event: 'step', data };
}
