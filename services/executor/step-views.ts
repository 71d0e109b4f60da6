import { iterationOf, type PreparedStep } from '../../dsl';
import type { Json } from '../../lib/json';
import type { StepEntry, StepLine } from '../../runtime/core/entries/entry';
import { redactPlaceholders } from '../../runtime/core/secrets/secret-redactor';
import type { StepOverview } from '../../contracts/executions/graph';
import type { LogLine, StepPart, StepView } from '../../contracts/executions/views';
import type { StepTotals } from './step-overview';
import { addToSummary, pendingSummary, type StepSummary } from './step-summary';

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

/** Optional parts of a view. */
export const INCLUDES = ['attempts', 'parts', 'logs'] as const;
export type Include = (typeof INCLUDES)[number];

/** A step with its journal entries in order. */
export interface RecordedStep {
  readonly path: string;
  readonly step: PreparedStep;
  readonly entries: readonly StepEntry[];
}

/** The API view of a step, reduced from its journal entries. */
export function stepView({ path, step, entries }: RecordedStep, includes: ReadonlySet<Include>): StepView {
  const summary = pendingSummary();
  const values = new StepValues();
  for (const entry of entries) {
    addToSummary(summary, entry);
    values.add(entry, summary);
  }
  const view: StepView = {
    ...stepSummaryView(path, step, summary),
    config: step.def.config,
    input: values.input,
    output: values.output,
  };
  for (const include of includes) Object.assign(view, { [include]: values[include] });
  return view;
}

/** The view of a step without its values: configuration, input and output are null. */
export const stepSummaryView = (path: string, { def }: PreparedStep, summary: StepSummary): StepView => ({
  step_id: def.id,
  path,
  iteration: iterationOf(path),
  type: def.type,
  status: summary.status,
  attempt: summary.attempt,
  config: null,
  input: null,
  output: null,
  error: summary.error,
  started_at: isoOrNull(summary.startedAt),
  ended_at: isoOrNull(summary.endedAt),
  duration_ms: summary.durationMs,
  input_tokens: summary.inputTokens,
  output_tokens: summary.outputTokens,
  cost_usd: summary.costUsd,
  feedback: null,
});

/** The API view of a step of the document; `totals`: of a step that has begun. */
export const stepOverview = ({ path, def }: PreparedStep, totals: StepTotals | undefined): StepOverview => ({
  step_id: def.id,
  path,
  type: def.type,
  status: totals?.shown.summary.status ?? 'pending',
  counts: Object.fromEntries(totals?.counts ?? []),
  shown_path: totals?.shown.path ?? null,
  attempt: totals?.attempt ?? 0,
  started_at: isoOrNull(totals?.startedAt ?? null),
  ended_at: isoOrNull(totals?.endedAt ?? null),
  duration_ms: totals?.durationMs ?? null,
  error: totals?.shown.summary.error ?? null,
});

/** What the entries of a step contain beside its summary. */
class StepValues {
  input: Json = null;
  output: Json = null;
  readonly attempts: NonNullable<StepView['attempts']> = [];
  parts: StepPart[] = [];
  readonly logs: LogLine[] = [];

  /** `summary`: of the step, with this entry. */
  add(entry: StepEntry, { error, startedAt }: StepSummary): void {
    if ('input' in entry && entry.input !== undefined) this.input = redactPlaceholders(entry.input);
    if ('logs' in entry) this.logs.push(...(entry.logs ?? []).map(lineOf));
    if (entry.kind === 'step.completed') this.output = redactPlaceholders(entry.output);
    if (entry.kind === 'step.noted') this.parts = [...this.parts.filter(({ key }) => key !== entry.key), partOf(entry)];
    if (entry.kind === 'step.failed' && error !== null)
      this.attempts.push({
        attempt: entry.attempt,
        error,
        started_at: isoOrNull(startedAt),
        ended_at: iso(entry.at),
      });
  }
}

const partOf = ({ key, at, value }: Extract<StepEntry, { kind: 'step.noted' }>): StepPart => ({
  key,
  at: iso(at),
  ...(value === undefined ? {} : { value: redactPlaceholders(value) }),
});

const lineOf = ({ at, level, message, data }: StepLine): LogLine => ({
  at: iso(at),
  level,
  message,
  ...(data === undefined ? {} : { data: redactPlaceholders(data) }),
});
