const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)? ?([Zz]|[+-]\d{2}:?\d{2})?$/;
const MIN_MS = Date.UTC(1000, 0, 1);
const MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** Smaller numbers are seconds since 1970, as most services count; larger ones milliseconds. */
const SECONDS_BELOW = 1e11;
const CACHED_ZONES = 500;
const DAY_MS = 86_400_000;
/** Times that are far from what a Date can hold. */
const MAX_ABSOLUTE_MS = 8e15;

/** Instants the language handles: years 1000 to 9999, so that every one has the same ISO form. */
export const inRange = (ms: number): boolean => ms >= MIN_MS && ms <= MAX_MS;

/** Epoch milliseconds of a number of seconds (or of milliseconds, from 100,000,000,000 on); null when out of range. */
export function instantOfNumber(value: number): number | null {
  // Adding 0 makes a negative zero, which JSON does not have, a plain one.
  const ms = Math.round(Math.abs(value) < SECONDS_BELOW ? value * 1_000 : value) + 0;
  return inRange(ms) ? ms : null;
}

/**
 * Epoch milliseconds of an RFC 3339 time, or of a date, with or without an offset; without one it is read in `zone`.
 * Null when the text is no such time or the calendar has no such day.
 */
export function instantOfText(text: string, zone: Zone): number | null {
  const found = DATE_TIME.exec(text.length > 64 ? '' : text.trim());
  if (!found) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const millis = Number((found[7] ?? '').padEnd(3, '0').slice(0, 3));
  const local = Date.UTC(year as number, (month as number) - 1, day, hour, minute, second, millis);
  const read = new Date(local);
  const shown = [
    read.getUTCFullYear(),
    read.getUTCDate(),
    read.getUTCHours(),
    read.getUTCMinutes(),
    read.getUTCSeconds(),
  ];
  const asked = [year, day, hour, minute, second];
  if (!shown.every((part, index) => part === asked[index]) || !inRange(local)) return null;
  const ms = found[8] === undefined ? zone.fromLocal(local) : local - offsetOf(found[8]);
  return inRange(ms) ? ms : null;
}

const offsetOf = (text: string): number => {
  if (text.length === 1) return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  return (text[0] === '-' ? -minutes : minutes) * 60_000;
};

/** A time zone: how far its clocks are ahead of UTC, in milliseconds. */
export interface Zone {
  offsetAt(ms: number): number;
  /**
   * The instant at which the zone's clocks show `local`. Where they are put back, the first of two; where they are put
   * forward over it, as if they were not yet. NaN for what is no time.
   */
  fromLocal(local: number): number;
}

export const UTC: Zone = { offsetAt: () => 0, fromLocal: (local) => local };

const zones = new Map<string, Zone>();

/** A zone of the IANA database by name, or null. */
export function zoneOf(name: string): Zone | null {
  if (name === 'UTC') return UTC;
  const known = zones.get(name);
  if (known) return known;
  const format = formatFor(name);
  if (format === null) return null;
  const offsetAt = (ms: number): number => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(ms)) part[type] = Number(value);
    const shown = Date.UTC(
      part.year as number,
      (part.month as number) - 1,
      part.day,
      part.hour,
      part.minute,
      part.second,
    );
    return shown - Math.floor(ms / 1_000) * 1_000;
  };
  const fromLocal = (local: number): number => {
    if (!(Math.abs(local) < MAX_ABSOLUTE_MS)) return Number.NaN;
    const [before, after] = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)];
    if (before === after || offsetAt(local - before) === before) return local - before;
    return offsetAt(local - after) === after ? local - after : local - before;
  };
  if (zones.size >= CACHED_ZONES) zones.clear();
  zones.set(name, { offsetAt, fromLocal });
  return { offsetAt, fromLocal };
}

function formatFor(timeZone: string): Intl.DateTimeFormat | null {
  const numeric = 'numeric';
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch (error) {
    // A RangeError is how Intl says that it knows no such zone.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
