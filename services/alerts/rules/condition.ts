import type { AlertCondition, ConditionParams } from '../../../contracts/alerts';
import { parseDuration } from '../../../lib/duration';
import type { ErrorDetail } from '../../../contracts/shared';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_LONG_MS = 30 * DAY_MS;

type Reader = (value: unknown, path: string, faults: ErrorDetail[]) => unknown;

const between =
  (min: number, max: number, whole: boolean): Reader =>
  (value, path, faults) => {
    const ok = typeof value === 'number' && value >= min && value <= max && (!whole || Number.isSafeInteger(value));
    if (!ok) faults.push({ path, message: `must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}` });
    return value;
  };

const duration =
  (min: number, max: number, range: string): Reader =>
  (value, path, faults) => {
    const ms = typeof value === 'string' ? parseDuration(value) : null;
    if (ms === null || ms < min || ms > max) faults.push({ path, message: `must be a duration ${range}, such as 15m` });
    return value;
  };

const oneOf =
  (...words: readonly string[]): Reader =>
  (value, path, faults) => {
    if (!words.includes(value as string)) faults.push({ path, message: `must be ${words.join(' or ')}` });
    return value;
  };

const window = duration(MINUTE_MS, DAY_MS, 'from 1m to 24h');
const count = between(1, 100_000, true);

/** The members of each kind. */
const MEMBERS: Readonly<Record<AlertCondition['kind'], Readonly<Record<string, Reader>>>> = {
  failures_in_row: { failures: between(1, 100, true) },
  failure_rate: { percent: between(1, 100, false), window, min_runs: count },
  p95_duration: { longer_than: duration(1, DAY_MS, 'up to 24h'), window, min_runs: count },
  missed_schedule: { grace: duration(MINUTE_MS, DAY_MS, 'from 1m to 24h') },
  long_run: {
    state: oneOf('running', 'waiting'),
    longer_than: duration(MINUTE_MS, MAX_LONG_MS, 'from 1m to 30d'),
  },
  budget: { of: oneOf('cost_usd', 'tokens', 'executions'), per: oneOf('day', 'month') },
};

const above = between(0, 1e15, false);
const percentOfPlan = between(1, 1_000, false);

/** The condition of a request, without members of other kinds. Adds what is wrong to `faults`. */
export function readCondition(given: ConditionParams, faults: ErrorDetail[]): AlertCondition {
  const read = Object.entries(MEMBERS[given.kind]).map(([name, reader]) => [
    name,
    reader(given[name], `condition.${name}`, faults),
  ]);
  const condition = { kind: given.kind, ...Object.fromEntries(read) } as AlertCondition;
  if (condition.kind !== 'budget') return condition;
  const { above: limit, percent_of_plan: percent } = given;
  if ((limit === undefined) === (percent === undefined)) {
    faults.push({ path: 'condition', message: 'needs either "above" or "percent_of_plan"' });
    return condition;
  }
  if (percent === undefined) return { ...condition, above: above(limit, 'condition.above', faults) as number };
  if (condition.of !== 'executions' || condition.per !== 'month') {
    const message = 'goes with "of": "executions" and "per": "month": plans limit nothing else';
    faults.push({ path: 'condition.percent_of_plan', message });
  }
  return { ...condition, percent_of_plan: percentOfPlan(percent, 'condition.percent_of_plan', faults) as number };
}

/** Milliseconds of a duration that was checked when it was saved. */
export const msOf = (text: string): number => parseDuration(text) ?? 0;

/** True for conditions that ended runs decide. */
export const isOfRuns = ({ kind }: AlertCondition): boolean =>
  kind === 'failures_in_row' || kind === 'failure_rate' || kind === 'p95_duration';
