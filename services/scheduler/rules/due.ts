import type { ScheduleTimer } from '../contract';
import type { Timeline } from './timeline';

/** What starts within this time is in time: another scheduler has taken over from one that died. */
export const GRACE_MS = 60_000;
/** Most slots that are started in one go; the others come with the next one. */
const MOST_STARTS = 20;
/** Most slots of an outage that are listed. */
const MOST_LISTED = 20;

/** What is to be done about the slots of a schedule that are due. */
export interface Due {
  /** Not to be started any more; of many, the first ones. */
  readonly missed: readonly number[];
  /** To be started now, in this order. */
  readonly start: readonly number[];
  /** The slot after those; null when there is none. */
  readonly next: number | null;
}

type Policy = Pick<ScheduleTimer, 'missed' | 'window_ms'>;

/**
 * The slots from `nextAt` on that are due. Those that are due for less than a minute start in any case. Older ones are
 * missed, and by the policy none of them starts (`skip`), the last one where no newer one does (`last`), or each (`all`),
 * as far as the window goes. Pure.
 */
export function dueOf(timeline: Timeline, policy: Policy, nextAt: number, now: number): Due {
  const { next, due } = timeline;
  const first = firstToStart(timeline, policy, nextAt, now);
  const missed = listed(timeline, nextAt, first);
  const start: number[] = [];
  let slot = first;
  for (; slot !== null && due(slot) <= now && start.length < MOST_STARTS; slot = next(slot)) start.push(slot);
  return { missed, start, next: slot };
}

function firstToStart(timeline: Timeline, { missed, window_ms: window }: Policy, nextAt: number, now: number) {
  const oldest = now - Math.max(window, GRACE_MS);
  if (missed === 'all') return timeline.firstDue(nextAt, oldest);
  const fresh = timeline.firstDue(nextAt, now - GRACE_MS);
  if (missed === 'skip' || (fresh !== null && timeline.due(fresh) <= now)) return fresh;
  return lastDue(timeline, nextAt, { since: oldest, before: now - GRACE_MS }) ?? fresh;
}

/** The last slot that is due in a span of time, looked for from its end, in spans that double. */
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
  for (let slot: number | null = from; slot !== null && slots.length < MOST_LISTED; slot = next(slot)) {
    if (to !== null && slot >= to) break;
    slots.push(slot);
  }
  return slots;
}
