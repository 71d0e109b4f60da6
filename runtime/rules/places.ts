import type { StepError } from '../../nodes/contract';
import type { RunError } from '../record/entry';
import type { Holder, Member } from '../store/kin';
import type { Concurrency } from '../store/port';

/** A place whose run was never seen is given up after this time: no start takes so long. */
const UNSEEN_MS = 60_000;

/** A group as it was read: who has a place, and the unended runs in the order of their starts. */
export interface Group {
  readonly holders: readonly Holder[];
  readonly members: readonly Member[];
}

/** Those who wait for a place, in the order in which they get one. */
export const queueOf = ({ holders, members }: Group): Member[] =>
  members.filter(({ id }) => !holders.some((holder) => holder.id === id));

/** Whether a run may take a place now: whoever came before it and waits comes first. */
export function mayEnter(group: Group, id: string, limit: number): boolean {
  const queue = queueOf(group);
  const place = queue.findIndex((member) => member.id === id);
  // Too far behind to have been read: as many as there are places wait before it.
  return group.holders.length + (place === -1 ? queue.length : place) < limit;
}

/** Whether a run is among the first who wait: as many as there are places in all. */
export const isNear = (group: Group, id: string, limit: number): boolean =>
  queueOf(group)
    .slice(0, limit)
    .some((member) => member.id === id);

/** Those who come next, as many as there are free places. */
export const nextOf = (group: Group, limit: number): string[] =>
  queueOf(group)
    .slice(0, Math.max(0, limit - group.holders.length))
    .map(({ id }) => id);

/** The runs that came before another one, whether or not they have a place. */
export const olderThan = ({ members }: Group, { id, startedAt }: Member): string[] =>
  members
    .filter((other) => other.startedAt < startedAt || (other.startedAt === startedAt && other.id < id))
    .map((other) => other.id);

/** Places that nobody uses: of runs that have ended, and of runs that are not there and never will be. */
export const unused = (
  holders: readonly Holder[],
  { ended, absent }: { ended: readonly string[]; absent: readonly string[] },
  now: number,
): string[] =>
  holders
    .filter(({ id, at }) => ended.includes(id) || (absent.includes(id) && at < now - UNSEEN_MS))
    .map(({ id }) => id);

/** Why a run ends whose place a newer one wants. */
export const replaced = ({ key }: Pick<Concurrency, 'key'>): StepError => ({
  code: 'concurrency_conflict',
  message: `A newer execution with the concurrency key "${key}" takes its place`,
});

/** Why a run ends that finds no place and must not wait for one. */
export const conflict = ({ key, limit }: Pick<Concurrency, 'key' | 'limit'>): RunError => ({
  code: 'concurrency_conflict',
  message: `${limit === 1 ? 'Another execution goes' : `${limit} other executions go`} on with the concurrency key "${key}"`,
  step_id: null,
});
