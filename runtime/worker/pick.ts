/** Chooses among waiting runs: pure rules, without time and database. */
import type { Candidate } from '../core/model';

/** The rank of a host among the live ones. */
export interface HostRank {
  readonly position: number;
  readonly count: number;
}

/**
 * Chooses at most `room` runs. Tenants take turns: in each round a tenant gets one run; first the tenant with the
 * fewest runs here, then the one that has waited longest. The runs of a tenant are taken in the order given, unless some have a
 * priority.
 */
export function pick(
  candidates: readonly Candidate[],
  runningOf: (tenantId: string) => number,
  room: number,
): Candidate[] {
  const queues = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const queue = queues.get(candidate.tenantId);
    if (queue === undefined) queues.set(candidate.tenantId, [candidate]);
    else queue.push(candidate);
  }
  const inOrder = [...queues]
    .map(([tenantId, queue]) => ({
      queue: byPriority(queue),
      running: runningOf(tenantId),
      since: (queue[0] as Candidate).since,
    }))
    .sort((a, b) => a.running - b.running || a.since - b.since);
  const picks: Candidate[] = [];
  for (let round = 0; picks.length < room; round++) {
    const before = picks.length;
    for (const { queue } of inOrder) {
      const next = queue[round];
      if (next !== undefined && picks.length < room) picks.push(next);
    }
    if (picks.length === before) break;
  }
  return picks;
}

function byPriority(queue: readonly Candidate[]): readonly Candidate[] {
  if (queue.every(({ headStartMs = 0 }) => headStartMs === 0)) return queue;
  const rank = ({ since, headStartMs = 0 }: Candidate): number => since - headStartMs;
  return queue.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * The runs of this host's partition, then the others, each in the order given. Hosts that read the same runs begin with
 * different ones, and a full host's partition is still served by others.
 */
export function partitionFirst(candidates: readonly Candidate[], { position, count }: HostRank): Candidate[] {
  if (count < 2) return [...candidates];
  const own = candidates.filter(({ id }) => hashOf(id) % count === position);
  const others = candidates.filter(({ id }) => hashOf(id) % count !== position);
  return [...own, ...others];
}

/** A hash that is the same on all hosts (FNV-1a). */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/** True for a run that is claimed only to be ended: cancelled, or past its deadline. No limit applies to it. */
export const isToEnd = (
  { cancelling, deadlineAt }: Pick<Candidate, 'cancelling' | 'deadlineAt'>,
  now: number,
): boolean => cancelling || (deadlineAt !== null && deadlineAt <= now);
