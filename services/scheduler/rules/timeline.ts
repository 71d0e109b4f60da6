import { UTC, zoneOf } from '../../../dsl';
import { sha256 } from '../../../lib/crypto';
import type { ScheduleTimer } from '../contract';
import { cronTimes, type NextAfter } from './cron';

/** The times of a schedule, in epoch milliseconds. A slot is a time as written; it is due some jitter later. */
export interface Timeline {
  /** The first slot after a moment; null when there is none. */
  readonly next: NextAfter;
  /** When a slot is to start. Rises with the slots: none is due before the one in front of it. */
  due(slot: number): number;
  /** The first slot, not before `from`, that is due at a moment or later. */
  firstDue(from: number, since: number): number | null;
}

/** The jitter of a slot is made of the schedule's id and the slot, so that everybody knows it beforehand. */
const share = (id: string, slot: number): number => Number.parseInt(sha256(`${id} ${slot}`).slice(0, 12), 16) / 2 ** 48;

/** The times of a timer. Those of `every` are counted from `anchor`, so that they never drift. Pure. */
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

/** A zone that this process does not know any more, since its data are older, is better than no run at all. */
const zoneFor = ({ timezone }: ScheduleTimer) => zoneOf(timezone) ?? UTC;

/** The next times at which a schedule starts, from a slot that has not started yet. */
export function comingStarts({ next, due }: Timeline, nextAt: number | null, count: number): number[] {
  const starts: number[] = [];
  for (let slot = nextAt; slot !== null && starts.length < count; slot = next(slot)) starts.push(due(slot));
  return starts;
}
