import { Cron } from 'croner';
import { type CronFields, readCron, type Zone } from '../../../dsl';
import { Cache } from '../../../lib/cache';

/** When something happens: the first time after a given one, in epoch milliseconds; null when it never does again. */
export type NextAfter = (after: number) => number | null;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** No change of a clock moves it further. */
const FURTHEST_CHANGE_MS = 26 * HOUR_MS;
const HOURS = 24;
const CACHED = 10_000;

/**
 * The times of a cron expression by the clocks of a zone, minute by minute.
 *
 * An expression that names hours means times of the day: one that the clocks leave out comes once, at the moment when they
 * are put forward; one that they show twice comes the first time alone. An expression of every hour means a rhythm: it
 * comes whenever the clocks show such a minute, so that it neither pauses nor hurries when they change.
 * @throws Error for what `readCron` refuses
 */
export function cronTimes(text: string, zone: Zone): NextAfter {
  const { fields, next } = calendarOf(text);
  return fields.hours.size === HOURS ? rhythm(next, zone) : timesOfDay(next, zone);
}

interface Calendar {
  readonly fields: CronFields;
  /** In the clocks' own time, as if it were UTC. */
  readonly next: NextAfter;
}

const calendars = new Cache<Calendar>({ max: CACHED, ttlMs: Number.POSITIVE_INFINITY, now: () => 0 });

/** The library searches the calendar by the numbers that we have read, so that it cannot mean anything else by the text. */
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
    // The instants rise with the clocks' times, so those that are left out here have all been.
    for (let local = next(after + zone.offsetAt(after)); local !== null; local = next(local)) {
      const at = instantOf(local, zone);
      if (at > after) return at;
    }
    return null;
  };

/** When the clocks first show a time, or pass over it. */
function instantOf(local: number, zone: Zone): number {
  const at = zone.fromLocal(local);
  const passedOver = at + zone.offsetAt(at) !== local;
  return passedOver ? changeBetween(at - FURTHEST_CHANGE_MS, at, zone) : at;
}

const rhythm =
  (next: NextAfter, zone: Zone): NextAfter =>
  (after) => {
    let [from, offset] = [after, zone.offsetAt(after)];
    for (;;) {
      const local = next(from + offset);
      if (local === null) return null;
      const at = local - offset;
      // Nothing happens until shortly before, however the clocks change; so at most one change is left in between.
      const near = Math.max(from, at - FURTHEST_CHANGE_MS);
      if (zone.offsetAt(near) !== offset) {
        [from, offset] = [near, zone.offsetAt(near)];
      } else if (zone.offsetAt(at) === offset) {
        return at;
      } else {
        const change = changeBetween(near, at, zone);
        // What the clocks show at the very moment of the change counts as well.
        [from, offset] = [change - 1, zone.offsetAt(change)];
        const shown = next(from + offset);
        return shown === null ? null : shown - offset;
      }
    }
  };

/** The first moment after `from`, up to `to`, at which the clocks are set as at `to`. Clocks change at full minutes. */
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
