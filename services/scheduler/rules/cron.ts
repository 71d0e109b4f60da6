import { Cron } from 'croner';
import { type CronFields, readCron, type Zone } from '../../../dsl';
import { createCache } from '../../../lib/cache';

/** The first time after a given one, in epoch milliseconds; null when there is none. */
export type NextAfter = (after: number) => number | null;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Upper limit of a clock change. */
const MAX_CHANGE_MS = 26 * HOUR_MS;
const HOURS = 24;
const CACHED = 10_000;

/**
 * The times of a cron expression in the local time of a zone, in minutes.
 *
 * An expression with fixed hours has times of day: a local time that a clock change skips fires once, at the change; a local
 * time that occurs twice fires only the first time. An expression for every hour is periodic: it fires whenever the local
 * minute matches, so its interval does not change at a clock change.
 * @throws Error for what `readCron` refuses
 */
export function cronTimes(text: string, zone: Zone): NextAfter {
  const { fields, next } = calendarOf(text);
  return fields.hours.size === HOURS ? rhythm(next, zone) : timesOfDay(next, zone);
}

interface Calendar {
  readonly fields: CronFields;
  /** Local time, represented as UTC. */
  readonly next: NextAfter;
}

const calendars = createCache<Calendar>({ max: CACHED });

/** The library gets the parsed numbers, not the text, so that it cannot interpret the text differently. */
function calendarOf(text: string): Calendar {
  const known = calendars.get(text);
  if (known !== undefined) return known;
  const fields = readCron(text);
  if (typeof fields === 'string') throw new Error(`${text} ${fields}`);
  const { minutes, hours, days, months, weekdays } = fields;
  const pattern = [minutes, hours, days, months, weekdays]
    .map((one) => (one === null ? '*' : [...one].join()))
    .join(' ');
  const cron = new Cron(pattern, { utcOffset: 0, mode: '5-part' });
  const calendar = { fields, next: (after: number) => cron.nextRun(new Date(after))?.getTime() ?? null };
  calendars.set(text, calendar);
  return calendar;
}

const timesOfDay =
  (next: NextAfter, zone: Zone): NextAfter =>
  (after) => {
    // Instants are monotonic in local time, so all skipped times are in the past.
    for (let local = next(after + zone.offsetAt(after)); local !== null; local = next(local)) {
      const at = instantOf(local, zone);
      if (at > after) return at;
    }
    return null;
  };

/** The instant at which a local time first occurs or is skipped. */
function instantOf(local: number, zone: Zone): number {
  const at = zone.fromLocal(local);
  const passedOver = at + zone.offsetAt(at) !== local;
  return passedOver ? changeBetween(at - MAX_CHANGE_MS, at, zone) : at;
}

const rhythm =
  (next: NextAfter, zone: Zone): NextAfter =>
  (after) => {
    let [from, offset] = [after, zone.offsetAt(after)];
    for (;;) {
      const local = next(from + offset);
      if (local === null) return null;
      const at = local - offset;
      // A clock that is set back shows local times again that were before `from`, and does so within `soon`. Apart from them no
      // time matches before `near`, whatever the clock change. At most one change is in each of the two spans.
      const soon = Math.min(from + MAX_CHANGE_MS, at);
      const near = Math.max(from, at - MAX_CHANGE_MS);
      const span = [[from, soon] as const, [near, at] as const].find(([, end]) => zone.offsetAt(end) !== offset);
      if (span === undefined) return at;
      if (span[1] === at && zone.offsetAt(near) !== offset) {
        [from, offset] = [near, zone.offsetAt(near)];
      } else {
        const change = changeBetween(...span, zone);
        [from, offset] = [change, zone.offsetAt(change)];
        // The local time at the instant of the change counts as well.
        if (next(change - 1 + offset) === change + offset) return change;
      }
    }
  };

/** The first instant after `from`, up to `to`, with the zone offset of `to`. Offsets change at full minutes. */
function changeBetween(from: number, to: number, zone: Zone): number {
  const target = zone.offsetAt(to);
  let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle * MINUTE_MS) === target) high = middle;
    else low = middle;
  }
  return high * MINUTE_MS;
}
