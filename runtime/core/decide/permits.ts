import type { StepError } from '../../../nodes/contract';
import type { RunError } from '../entries/entry';
import type { Concurrency, Execution } from '../model';

/** A run that holds a permit of a group. */
export interface PermitHolder {
  readonly id: string;
  /** When it acquired the permit, in epoch milliseconds. */
  readonly at: number;
  /** The host that acquired it before it stored the run; absent when the run was stored first. */
  readonly host?: string;
}

/** An unended run of a group. */
export interface Waiter extends Pick<Execution, 'id' | 'startedAt'> {
  /** That of its own document. */
  readonly limit: number;
}

/** A permit whose run does not exist is released after this time: no start takes so long. */
const ABSENT_TIMEOUT_MS = 60_000;
/** A run that was stored so long after its permit was acquired may have lost it. */
export const MAX_UNSTORED_MS = ABSENT_TIMEOUT_MS / 2;

/** A snapshot of a group: permit holders, and runs that have not ended, in the order of their starts. */
export interface Group {
  readonly holders: readonly PermitHolder[];
  readonly waiters: readonly Waiter[];
}

/** Runs without a permit, in the order in which they get one. */
const queueOf = ({ holders, waiters }: Group): Waiter[] =>
  waiters.filter(({ id }) => !holders.some((holder) => holder.id === id));

/** True when a run may acquire a permit now: runs that started earlier come first. */
export function mayAcquire(group: Group, id: string, limit: number): boolean {
  const next = nextOf(group);
  if (next.includes(id)) return true;
  const queue = queueOf(group);
  // It is not in the part that was read; it may go on if all of those may.
  const isUnread = queue.every((member) => member.id !== id);
  return isUnread && next.length === queue.length && group.holders.length + queue.length < limit;
}

/** True when every run has a permit. */
export const noneWaits = (group: Group): boolean => queueOf(group).length === 0;

/** True when a run is among the next `limit` waiters. */
export const isNear = (group: Group, id: string, limit: number): boolean =>
  queueOf(group)
    .slice(0, limit)
    .some((member) => member.id === id);

/** The next waiters, until the first that has to wait: nothing overtakes it, whatever its limit is. */
export function nextOf(group: Group): string[] {
  const queue = queueOf(group);
  const blocked = queue.findIndex(({ limit }, position) => group.holders.length + position >= limit);
  return queue.slice(0, blocked === -1 ? queue.length : blocked).map(({ id }) => id);
}

/** Runs of the group that started before another one, with and without a permit. */
export const olderThan = ({ waiters }: Group, { id, startedAt }: Omit<Waiter, 'limit'>): string[] =>
  waiters
    .filter((other) => other.startedAt < startedAt || (other.startedAt === startedAt && other.id < id))
    .map((other) => other.id);

/** Permits to be released: of runs that have ended, and of runs that do not exist and never will. */
export const abandoned = (
  holders: readonly PermitHolder[],
  {
    ended,
    absent,
    deadHosts,
  }: { readonly ended: readonly string[]; readonly absent: readonly string[]; readonly deadHosts: readonly string[] },
  now: number,
): string[] =>
  holders
    .filter(({ id, at, host }) => {
      const neverStored = at < now - ABSENT_TIMEOUT_MS || (host !== undefined && deadHosts.includes(host));
      return ended.includes(id) || (absent.includes(id) && neverStored);
    })
    .map(({ id }) => id);

/** The error of a run that a newer one replaces. */
export const replaced = ({ key }: Pick<Concurrency, 'key'>): StepError => ({
  code: 'concurrency_conflict',
  message: `A newer execution with the concurrency key "${key}" has replaced this one`,
});

/** The error of a run that finds no permit and must not wait. */
export const conflict = ({ key, limit }: Pick<Concurrency, 'key' | 'limit'>): RunError => ({
  code: 'concurrency_conflict',
  message: `${limit === 1 ? 'Another execution is' : `${limit} other executions are`} running with the concurrency key "${key}"`,
  step_id: null,
});
