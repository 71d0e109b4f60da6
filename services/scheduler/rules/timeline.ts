import { UTC, zoneOf } from '../../../dsl';
import { sha256 } from '../../../lib/crypto';
import type { ScheduleTimer } from '../../../contracts/scheduler';
import { cronTimes, type NextAfter } from './cron';

/** The times of a schedule in epoch milliseconds. A slot is a time of the expression; it is due after its jitter. */
export interface Timeline {
  /** The first slot after a moment; null when there is none. */
  readonly next: NextAfter;
  /** When a slot is due. Monotonic: no slot is due before the previous one. */
  due(slot: number): number;
  /** The first slot from `from` on that is due at `since` or later. */
  firstDue(from: number, since: number): number | null;
}

/** The jitter of a slot, as a fraction. It is derived from the schedule's id and the slot, so every process computes the same. */
const share = (id: string, slot: number): number => Number.parseInt(sha256(`${id} ${slot}`).slice(0, 12), 16) / 2 ** 48;

/** The timeline of a timer. Intervals of `every` are counted from `anchor`, so they do not drift. Pure. */
export function timelineOf(id: string, timer: ScheduleTimer, anchor: number): Timeline {
  const next = timer.cron === null ? beats(anchor, timer.every_ms as number) : cronTimes(timer.cron, zoneFor(timer));
  const { jitter_ms: jitter } = timer;
  const due = (slot: number): number => {
    if (jitter === 0) return slot;
    const room = Math.min(jitter, (next(slot) ?? Number.POSITIVE_INFINITY) - slot);
    return slot + Math.floor(share(id, slot) * room);
  };
  return {
    next,
    due,
    firstDue(from, since) {
      if (due(from) >= since) return from;
      let slot = next(Math.max(from, since - jitter - 1));
      while (slot !== null && due(slot) < since) slot = next(slot);
      return slot;
    },
  };
}

const beats =
  (anchor: number, everyMs: number): NextAfter =>
  (after) =>
    anchor + (Math.max(0, Math.floor((after - anchor) / everyMs)) + 1) * everyMs;

/** The timer's zone, or UTC when the time zone data of this process is older and does not contain it. */
const zoneFor = ({ timezone }: ScheduleTimer) => zoneOf(timezone) ?? UTC;

/** The next due times of a schedule, from a slot that has not started yet. */
export function comingStarts({ next, due }: Timeline, nextAt: number | null, count: number): number[] {
  const starts: number[] = [];
  for (let slot = nextAt; slot !== null && starts.length < count; slot = next(slot)) starts.push(due(slot));
  return starts;
}
