import type { StepStatus } from '../../contracts/executions/views';
import type { IndexedStep, StepIndex } from './step-index';

/** All steps of a run that are one step of its document, together. Times in epoch milliseconds. */
export interface StepTotals {
  readonly counts: Map<StepStatus, number>;
  /** The first step in the journal with the status of most concern. */
  shown: IndexedStep;
  attempt: number;
  startedAt: number | null;
  /** Null while one goes on. */
  endedAt: number | null;
  durationMs: number | null;
}

/** What a reader looks for first. */
const CONCERN: readonly StepStatus[] = [
  'failed',
  'running',
  'retrying',
  'waiting',
  'cancelled',
  'completed',
  'skipped',
  'pending',
];
const RANKS = new Map(CONCERN.map((status, rank) => [status, rank]));
const rankOf = ({ summary }: IndexedStep): number => RANKS.get(summary.status) ?? CONCERN.length;

/** The begun steps of a run by their paths in the plan. Yields between steps, so that the work can be sliced. */
export function* totalsByStep({ steps }: StepIndex): Generator<void, ReadonlyMap<string, StepTotals>> {
  const totals = new Map<string, StepTotals>();
  for (const indexed of steps.values()) {
    yield;
    const { path } = indexed.step;
    const known = totals.get(path);
    if (known === undefined) totals.set(path, totalsOf(indexed));
    else addTo(known, indexed);
  }
  return totals;
}

const totalsOf = (shown: IndexedStep): StepTotals => ({
  counts: new Map([[shown.summary.status, 1]]),
  shown,
  attempt: shown.summary.attempt,
  startedAt: shown.summary.startedAt,
  endedAt: shown.summary.endedAt,
  durationMs: shown.summary.durationMs,
});

function addTo(totals: StepTotals, indexed: IndexedStep): void {
  const { status, attempt, startedAt, endedAt, durationMs } = indexed.summary;
  totals.counts.set(status, (totals.counts.get(status) ?? 0) + 1);
  if (rankOf(indexed) < rankOf(totals.shown)) totals.shown = indexed;
  totals.attempt = Math.max(totals.attempt, attempt);
  totals.startedAt = minOf(totals.startedAt, startedAt);
  totals.endedAt = totals.endedAt === null || endedAt === null ? null : Math.max(totals.endedAt, endedAt);
  totals.durationMs = durationMs === null ? totals.durationMs : (totals.durationMs ?? 0) + durationMs;
}

const minOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
