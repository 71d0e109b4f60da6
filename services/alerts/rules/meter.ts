/** What a rule has measured of a workflow, and what it observes of that. Pure. */
import type { AlertCondition, EndedRun } from '../../../contracts/alerts';
import { durationText, numberText } from './words';
import { msOf } from './condition';
import type { Observation } from './incident';
import { EMPTY_WINDOW, pruned, totalsOf, type Window, withRun } from './window';

/** A fire time of a schedule. `decidedAt`: null for one that is due and not started. */
interface FireTime {
  readonly id: string;
  readonly at: number;
  readonly inTime: boolean;
  readonly decidedAt: number | null;
}

/** What is read for conditions that are checked. */
export type Facts =
  | { readonly kind: 'long_run'; readonly since: number; readonly runs: readonly string[]; readonly total: number }
  | { readonly kind: 'missed_schedule'; readonly times: readonly FireTime[]; readonly isScheduled: boolean }
  | { readonly kind: 'budget'; readonly spent: number; readonly limit: number | null };

export type Meter =
  | { readonly kind: 'none' }
  | { readonly kind: 'streak'; readonly length: number; readonly since: number; readonly runs: readonly string[] }
  | { readonly kind: 'window'; readonly window: Window }
  /** `seen`: fire times that were counted and may be read again. */
  | { readonly kind: 'times'; readonly seen: readonly string[] }
  | { readonly kind: 'level'; readonly value: number };

export interface Measured {
  readonly meter: Meter;
  readonly seen: readonly Observation[];
}

type Of<K extends AlertCondition['kind']> = Extract<AlertCondition, { kind: K }>;

const STILL: Observation = { kind: 'still' };
const CLEAR: Observation = { kind: 'clear' };
const MAX_RUNS = 5;
const MAX_SEEN = 1_000;

/** Runs that have ended, oldest first. */
export function measureRuns(condition: AlertCondition, meter: Meter, runs: readonly EndedRun[], now: number): Measured {
  switch (condition.kind) {
    case 'failures_in_row':
      return streakOf(condition, meter, runs);
    case 'failure_rate':
    case 'p95_duration':
      return windowOf(condition, meter, runs, now);
    default:
      return { meter, seen: [STILL] };
  }
}

/** Nothing happened, but time passed. */
export function measureTime(condition: AlertCondition, meter: Meter, now: number): Measured {
  const isWindow = condition.kind === 'failure_rate' || condition.kind === 'p95_duration';
  return isWindow ? windowOf(condition, meter, [], now) : { meter, seen: [STILL] };
}

/** What was read for a condition that is checked; null: nothing of this workflow. */
export function measureFacts(condition: AlertCondition, meter: Meter, facts: Facts | null, now: number): Measured {
  if (facts?.kind === 'missed_schedule')
    return facts.isScheduled ? timesOf(meter, facts.times) : { meter: { kind: 'none' }, seen: [CLEAR] };
  if (facts?.kind === 'long_run' && condition.kind === 'long_run') return longRunsOf(condition, meter, facts);
  if (facts?.kind === 'budget' && condition.kind === 'budget') return budgetOf(condition, meter, facts, now);
  // A schedule that was not due says nothing new of it.
  return condition.kind === 'missed_schedule' ? { meter, seen: [STILL] } : { meter: { kind: 'none' }, seen: [CLEAR] };
}

function streakOf({ failures }: Of<'failures_in_row'>, before: Meter, runs: readonly EndedRun[]): Measured {
  let meter = before.kind === 'streak' ? before : null;
  const seen: Observation[] = [];
  for (const run of runs) {
    if (run.status === 'completed') {
      meter = null;
      seen.push(CLEAR);
      continue;
    }
    meter = {
      kind: 'streak',
      length: (meter?.length ?? 0) + 1,
      since: meter?.since ?? run.ended_at,
      runs: [...(meter?.runs ?? []), run.id].slice(-MAX_RUNS),
    };
    if (meter.length < failures) continue;
    const opens = meter.length;
    const detail = `${numberText(opens)} ${opens === 1 ? 'run has failed' : 'runs in a row have failed'}`;
    seen.push({ kind: 'holds', since: meter.since, opens, adds: 1, runs: meter.runs, detail });
  }
  return { meter: meter ?? { kind: 'none' }, seen: seen.length === 0 ? [STILL] : seen };
}

function windowOf(
  condition: Of<'failure_rate'> | Of<'p95_duration'>,
  meter: Meter,
  runs: readonly EndedRun[],
  now: number,
): Measured {
  const widthMs = msOf(condition.window);
  const slowMs = condition.kind === 'p95_duration' ? msOf(condition.longer_than) : Infinity;
  const before = meter.kind === 'window' ? meter.window : EMPTY_WINDOW;
  const all = runs.reduce((window, run) => withRun(window, run, now, widthMs, slowMs), before);
  const window = pruned(all, now, widthMs);
  const after: Meter = window.parts.length === 0 ? { kind: 'none' } : { kind: 'window', window };
  const totals = totalsOf(window);
  if (totals.total < condition.min_runs) return { meter: after, seen: [CLEAR] };
  if (condition.kind === 'failure_rate') {
    const { total, failed } = totals;
    if (failed === 0 || (100 * failed) / total < condition.percent) return { meter: after, seen: [CLEAR] };
    const percent = Math.round((1_000 * failed) / total) / 10;
    const detail = `${failed} of ${total} runs of the last ${durationText(widthMs)} failed (${percent} %)`;
    const adds = runs.filter(({ status }) => status === 'failed').length;
    return { meter: after, seen: [{ kind: 'holds', since: now, opens: failed, adds, runs: window.failures, detail }] };
  }
  const p95Ms = totals.p95Ms ?? 0;
  if (p95Ms <= slowMs) return { meter: after, seen: [CLEAR] };
  const slow = runs.filter((run) => run.duration_ms > slowMs).length;
  const detail = `95 % of ${totals.total} runs of the last ${durationText(widthMs)} took up to ${durationText(p95Ms)}, more than ${durationText(slowMs)}`;
  const opens = Math.max(1, slow);
  return { meter: after, seen: [{ kind: 'holds', since: now, opens, adds: slow, runs: window.slow, detail }] };
}

function timesOf(meter: Meter, times: readonly FireTime[]): Measured {
  const known = new Set(meter.kind === 'times' ? meter.seen : []);
  const missed = times.filter(({ inTime }) => !inTime);
  const fresh = missed.filter(({ id }) => !known.has(id));
  // One that was due and is decided by now is not counted again.
  const after: Meter =
    missed.length === 0 ? { kind: 'none' } : { kind: 'times', seen: missed.map(({ id }) => id).slice(-MAX_SEEN) };
  const first = fresh.reduce((least, { at }) => Math.min(least, at), Infinity);
  const decided = times.filter(({ decidedAt }) => decidedAt !== null);
  const newest = decided.reduce<FireTime | null>(
    (last, each) => (last === null || each.at >= last.at ? each : last),
    null,
  );
  const isOver = newest?.inTime === true && missed.every(({ decidedAt }) => decidedAt !== null);
  const seen: Observation[] = [];
  if (fresh.length > 0) {
    const at = new Date(first).toISOString();
    const detail =
      fresh.length === 1
        ? `the run of ${at} has not started in time`
        : `${fresh.length} runs have not started in time, the first of ${at}`;
    seen.push({ kind: 'holds', since: first, opens: fresh.length, adds: fresh.length, runs: [], detail });
  }
  if (isOver) seen.push(CLEAR);
  return { meter: after, seen: seen.length === 0 ? [STILL] : seen };
}

function longRunsOf(condition: Of<'long_run'>, meter: Meter, facts: Extract<Facts, { kind: 'long_run' }>): Measured {
  const { total, since, runs } = facts;
  if (total === 0) return { meter: { kind: 'none' }, seen: [CLEAR] };
  const before = meter.kind === 'level' ? meter.value : 0;
  const what = condition.state === 'waiting' ? 'waiting' : 'running';
  const detail = `${numberText(total)} ${total === 1 ? 'run has' : 'runs have'} been ${what} for more than ${durationText(msOf(condition.longer_than))}`;
  const adds = Math.max(0, total - before);
  return { meter: { kind: 'level', value: total }, seen: [{ kind: 'holds', since, opens: total, adds, runs, detail }] };
}

function budgetOf(
  condition: Of<'budget'>,
  meter: Meter,
  { spent, limit }: Extract<Facts, { kind: 'budget' }>,
  now: number,
): Measured {
  if (limit === null || spent <= limit) return { meter: { kind: 'none' }, seen: [CLEAR] };
  const isNew = meter.kind === 'none';
  const amount = (value: number): string =>
    condition.of === 'cost_usd'
      ? `${Math.round(value * 10_000) / 10_000} USD`
      : `${numberText(Math.round(value))} ${condition.of}`;
  const detail = `${amount(spent)} of this ${condition.per} are more than ${amount(limit)}`;
  const seen: Observation = { kind: 'holds', since: now, opens: 1, adds: isNew ? 1 : 0, runs: [], detail };
  return { meter: { kind: 'level', value: spent }, seen: [seen] };
}
