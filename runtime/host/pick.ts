/** Which of the runs that wait are taken first: rules without time and without a database. */
import type { Candidate } from '../store/port';

/** Which of the hosts that live this one is. */
export interface Peer {
  readonly position: number;
  readonly count: number;
}

/**
 * The runs to take, at most `room`. Each tenant gets its next one only when each other has got as many, as far as it
 * has any; within such a round the tenant comes first that has the fewest here, then the one that has waited longest.
 * The runs of a tenant are taken in the order given.
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
    .map(([tenantId, queue]) => ({ queue, running: runningOf(tenantId), since: (queue[0] as Candidate).since }))
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

/**
 * Those that fall to this host, then the others, each in the order given. Hosts that see the same runs thus begin with
 * different ones, and still leave nothing to a host that has no room for its own.
 */
export function ownFirst(candidates: readonly Candidate[], { position, count }: Peer): Candidate[] {
  if (count < 2) return [...candidates];
  const own = candidates.filter(({ id }) => lotOf(id) % count === position);
  const others = candidates.filter(({ id }) => lotOf(id) % count !== position);
  return [...own, ...others];
}

/** A number that is the same on all hosts (FNV-1a). */
function lotOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/** Whether a run is taken up only to be told of its end: cancelled, or over its time. No limit keeps it from that. */
export const isToEnd = (
  { cancelling, deadlineAt }: Pick<Candidate, 'cancelling' | 'deadlineAt'>,
  now: number,
): boolean => cancelling || (deadlineAt !== null && deadlineAt <= now);
