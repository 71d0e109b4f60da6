import type { ScheduleTimer } from '../../../contracts/scheduler';
import type { Timeline } from './timeline';

/** A start within this time is not late. It covers the takeover from a crashed scheduler. */
export const GRACE_MS = 60_000;
/** Slots that are started in one pass; the others follow in the next pass. */
const MAX_STARTS = 20;
/** Missed slots of an outage that are recorded. */
const MAX_LISTED = 20;

/** The decision about the due slots of a schedule. */
interface DueDecision {
  /** Slots that are not started; only the first ones of many. */
  readonly missed: readonly number[];
  /** Slots to start now, in this order. */
  readonly start: readonly number[];
  /** The next slot after these; null when there is none. */
  readonly next: number | null;
}

type Policy = Pick<ScheduleTimer, 'missed' | 'window_ms'>;

/**
 * The due slots from `nextAt` on. Slots that have been due for less than a minute always start. Older slots are missed. The
 * policy starts none of them (`skip`), the last one if no newer slot starts (`last`), or all (`all`), within the window. Pure.
 */
export function dueOf(timeline: Timeline, policy: Policy, nextAt: number, now: number): DueDecision {
  const { next, due } = timeline;
  const first = firstToStart(timeline, policy, nextAt, now);
  const missed = listed(timeline, nextAt, first);
  const start: number[] = [];
  let slot = first;
  for (; slot !== null && due(slot) <= now && start.length < MAX_STARTS; slot = next(slot)) start.push(slot);
  return { missed, start, next: slot };
}

function firstToStart(timeline: Timeline, { missed, window_ms: window }: Policy, nextAt: number, now: number) {
  const oldest = now - Math.max(window, GRACE_MS);
  if (missed === 'all') return timeline.firstDue(nextAt, oldest);
  const fresh = timeline.firstDue(nextAt, now - GRACE_MS);
  if (missed === 'skip' || (fresh !== null && timeline.due(fresh) <= now)) return fresh;
  return lastDue(timeline, nextAt, { since: oldest, before: now - GRACE_MS }) ?? fresh;
}

/** The last slot that is due in a period. Searches backwards from its end, in steps that double. */
function lastDue(timeline: Timeline, from: number, span: { since: number; before: number }): number | null {
  const { next, due, firstDue } = timeline;
  for (let back = GRACE_MS; ; back *= 2) {
    const since = Math.max(span.since, span.before - back);
    let found = firstDue(from, since);
    if (found !== null && due(found) < span.before) {
      for (let slot = next(found); slot !== null && due(slot) < span.before; slot = next(slot)) found = slot;
      return found;
    }
    if (since === span.since) return null;
  }
}

function listed({ next }: Timeline, from: number, to: number | null): number[] {
  const slots: number[] = [];
  for (let slot: number | null = from; slot !== null && slots.length < MAX_LISTED; slot = next(slot)) {
    if (to !== null && slot >= to) break;
    slots.push(slot);
  }
  return slots;
}
