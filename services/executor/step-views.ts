import { iterationOf, stepIdOf } from '../../dsl';
import { addUsd } from '../../lib/usd';
import type { StepEntry, StepLine } from '../../runtime/core/entries/entry';
import { redactPlaceholders } from '../../runtime/core/secrets/secret-redactor';
import type { LogLine, RunError, StepPart, StepView } from '../../contracts/executions/views';
import type { StepRow } from './step-rows';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Optional parts of a view. */
export const INCLUDES = ['attempts', 'parts', 'logs'] as const;
export type Include = (typeof INCLUDES)[number];

/** A view with all optional parts. */
type FullView = StepView & Required<Pick<StepView, Include>>;

/** The API view of a step, reduced from its journal entries. */
export function stepView({ path, step, entries }: StepRow, includes: ReadonlySet<Include>): StepView {
  let view = pending(path, step);
  for (const entry of entries) view = { ...view, ...change(view, entry) };
  const shown: StepView = { ...view };
  for (const include of INCLUDES) if (!includes.has(include)) delete shown[include];
  return shown;
}

const pending = (path: string, { def }: StepRow['step']): FullView => ({
  step_id: def.id,
  path,
  iteration: iterationOf(path),
  type: def.type,
  status: 'pending',
  attempt: 0,
  config: def.config,
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
  parts: [],
  logs: [],
});

/** The changes of an entry to the view of its step. */
function change(view: FullView, entry: StepEntry): Partial<FullView> {
  const input: Partial<FullView> =
    'input' in entry && entry.input !== undefined ? { input: redactPlaceholders(entry.input) } : {};
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
    case 'step.opened':
      return { status: 'running', attempt: 1, started_at: iso(entry.at), error: null };
    case 'step.waiting':
      return { ...input, status: 'waiting', attempt: entry.attempt, started_at: iso(entry.started), error: null };
    case 'step.resumed':
      return { status: 'running', error: null };
    case 'step.noted':
      return { ...used(view, entry), parts: [...view.parts.filter(({ key }) => key !== entry.key), partOf(entry)] };
    case 'step.completed':
      return {
        ...input,
        ...settled(view, entry),
        ...used(view, entry),
        ...logged(view, entry),
        status: 'completed',
        output: redactPlaceholders(entry.output),
        error: null,
      };
    case 'step.failed': {
      const error: RunError = { ...entry.error, step_id: stepIdOf(entry.culprit ?? entry.path) };
      const failed = { ...input, ...settled(view, entry), ...used(view, entry), ...logged(view, entry), error };
      const attempts = [
        ...view.attempts,
        { attempt: entry.attempt, error, started_at: failed.started_at, ended_at: iso(entry.at) },
      ];
      return { ...failed, status: entry.retryAt === null ? 'failed' : 'retrying', attempts };
    }
    case 'step.skipped':
      return { status: 'skipped', ended_at: iso(entry.at) };
    case 'step.cancelled':
      return { status: 'cancelled', ended_at: iso(entry.at), duration_ms: durationOf(view.started_at, entry.at) };
    case 'loop.turn':
    case 'loop.item':
      // The steps of the loop have entries of their own.
      return {};
  }
}

const durationOf = (startedAt: string | null, endedMs: number): number | null =>
  startedAt === null ? null : endedMs - Date.parse(startedAt);

/** Times of a finished attempt. For a step that waited, the start before the wait counts. */
function settled(view: StepView, entry: Extract<StepEntry, { started: number }>) {
  const begun = view.status === 'waiting' && view.started_at !== null ? view.started_at : iso(entry.started);
  return {
    attempt: entry.attempt,
    started_at: begun,
    ended_at: iso(entry.at),
    duration_ms: entry.at - Date.parse(begun),
  };
}

/** Adds the usage of an entry: checkpoints and attempts both use tokens, also when the attempt fails. */
function used(
  view: StepView,
  { usage }: Extract<StepEntry, { kind: 'step.noted' | 'step.completed' | 'step.failed' }>,
) {
  if (usage === undefined) return {};
  return {
    input_tokens: sum(view.input_tokens, usage.input_tokens),
    output_tokens: sum(view.output_tokens, usage.output_tokens),
    cost_usd: usage.cost_usd === undefined ? view.cost_usd : addUsd(view.cost_usd ?? 0, usage.cost_usd),
  };
}

const sum = (before: number | null, more: number | undefined): number | null =>
  more === undefined ? before : (before ?? 0) + more;

const partOf = ({ key, at, value }: Extract<StepEntry, { kind: 'step.noted' }>): StepPart => ({
  key,
  at: iso(at),
  ...(value === undefined ? {} : { value: redactPlaceholders(value) }),
});

const logged = (view: FullView, { logs = [] }: Extract<StepEntry, { kind: 'step.completed' | 'step.failed' }>) =>
  logs.length === 0 ? {} : { logs: [...view.logs, ...logs.map(lineOf)] };

const lineOf = ({ at, level, message, data }: StepLine): LogLine => ({
  at: iso(at),
  level,
  message,
  ...(data === undefined ? {} : { data: redactPlaceholders(data) }),
});
