import { ServerError } from '../../bson/error';
import { FarDate } from '../../bson/value';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Calendar fields of an instant in a zone. `month` is 1 to 12. */
export interface Civil {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

/** A time zone: UTC, a fixed offset, or a name of the IANA database. */
export interface Zone {
  /** Milliseconds east of UTC at this instant. */
  offsetAt(epochMs: number): number;
}

export const UTC: Zone = { offsetAt: () => 0 };

const zones = new Map<string, Zone>();

/** @throws ServerError 40485 for an unknown name */
export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = fixedZone(name) ?? namedZone(name);
  // Names come from users, so the cache is bounded.
  if (zones.size > 1000) zones.clear();
  zones.set(name, zone);
  return zone;
}

function fixedZone(name: string): Zone | undefined {
  if (name === 'UTC' || name === 'GMT' || name === 'Z') return UTC;
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(name);
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  const offset = (match[1] === '-' ? -minutes : minutes) * MINUTE_MS;
  return { offsetAt: () => offset };
}

function namedZone(name: string): Zone {
  const format = formatFor(name);
  // Offsets change on quarter hours only, so one lookup serves all instants of a quarter.
  const quarters = new Map<number, number>();
  return {
    offsetAt(epochMs) {
      const quarter = Math.floor(epochMs / (15 * MINUTE_MS));
      const known = quarters.get(quarter);
      if (known !== undefined) return known;
      const start = quarter * 15 * MINUTE_MS;
      const offset = localMs(format, start) - start;
      if (quarters.size > 10_000) quarters.clear();
      quarters.set(quarter, offset);
      return offset;
    },
  };
}

function formatFor(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) throw new ServerError(40485, `unrecognized time zone identifier: "${name}"`);
    throw error;
  }
}

function localMs(format: Intl.DateTimeFormat, epochMs: number): number {
  const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  return civilMs({
    year,
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
    millisecond: 0,
  });
}

/** Milliseconds of a civil time read as UTC. Fields out of range carry over (month 13 is next January). */
export function civilMs(civil: Civil): number {
  const date = new Date(0);
  date.setUTCFullYear(civil.year, civil.month - 1, civil.day);
  date.setUTCHours(civil.hour, civil.minute, civil.second, civil.millisecond);
  return date.getTime();
}

/**
 * The instant that this local time (as milliseconds read as UTC) names. A time that occurs twice is the later one;
 * a time that a clock change skips is read with the offset from before.
 */
export function toEpochMs(local: number, zone: Zone): number {
  const before = local - zone.offsetAt(local - DAY_MS);
  const after = local - zone.offsetAt(local + DAY_MS);
  if (before === after) return before;
  const names = (epochMs: number): boolean => toLocalMs(epochMs, zone) === local;
  return names(after) && (after > before || !names(before)) ? after : before;
}

/** Local time of an instant as milliseconds read as UTC. */
export const toLocalMs = (epochMs: number, zone: Zone): number => epochMs + zone.offsetAt(epochMs);

export function civilOf(epochMs: number, zone: Zone): Civil {
  const local = new Date(toLocalMs(epochMs, zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    millisecond: local.getUTCMilliseconds(),
  };
}

/** Days since 1970 of a local time. */
export const dayNumber = (local: number): number => Math.floor(local / DAY_MS);

/** 0 is Sunday. */
export const weekday = (local: number): number => (((dayNumber(local) + 4) % 7) + 7) % 7;

export const dayOfYear = (local: number): number =>
  dayNumber(local) - dayNumber(Date.UTC(new Date(local).getUTCFullYear(), 0, 1)) + 1;

/** Weeks that begin on Sunday; the days before the first Sunday are week 0. */
export const weekOfYear = (local: number): number => Math.floor((dayOfYear(local) + 6 - weekday(local)) / 7);

interface IsoWeek {
  year: number;
  week: number;
  /** 1 is Monday. */
  day: number;
}

/** ISO 8601: a week belongs to the year that holds its Thursday. */
export function isoWeek(local: number): IsoWeek {
  const day = weekday(local) || 7;
  const thursday = local + (4 - day) * DAY_MS;
  return { year: new Date(thursday).getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7), day };
}

/** `2024-01-31T23:59:59.000Z`. @throws ServerError for a date outside the calendar's range */
export function isoDate(date: Date): string {
  if (date instanceof FarDate) throw new ServerError(18537, 'date is out of the range that can be printed');
  return date.toISOString().replace(/^\+0*(\d{5,})/, '$1');
}

export const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
