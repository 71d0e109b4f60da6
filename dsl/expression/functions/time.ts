import { parseDuration } from '../../../lib/duration';
import type { Json } from '../../../lib/json';
import type { Arguments, Family } from './arguments';
import { formatDate } from './date-format';
import { inRange, instantOfNumber, instantOfText, UTC, type Zone, zoneOf } from './instant';

const MAX_FORMAT_CHARS = 200;
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const UNIT_MONTHS = { months: 1, years: 12 } as const;
type Unit = keyof typeof UNIT_MS;
const UNITS = Object.keys(UNIT_MS) as Unit[];
const CALENDAR = Object.keys(UNIT_MONTHS) as (keyof typeof UNIT_MONTHS)[];
const MAX_AMOUNT = 1e13;

/** Epoch milliseconds of a time given as text or as a number. */
const instant = (args: Arguments, index: number, zone: Zone = UTC): number => {
  const value = args.value(index);
  if (typeof value !== 'number' && typeof value !== 'string') throw args.wrong(index, 'time', value);
  const ms = typeof value === 'number' ? instantOfNumber(value) : instantOfText(value, zone);
  if (ms === null) throw args.fail(`argument ${index + 1} is not a time such as 2026-01-31T09:30:00Z`);
  return ms;
};

const zone = (args: Arguments, index: number): Zone => {
  args.spend(20);
  const found = zoneOf(args.text(index, 'UTC'));
  if (found === null) throw args.fail(`argument ${index + 1} is not a time zone such as Europe/Berlin`);
  return found;
};

const iso = (args: Arguments, ms: number): string => {
  if (!inRange(ms)) throw args.fail('the result is outside the years 1000 to 9999');
  return new Date(ms).toISOString();
};

const format = (args: Arguments): Json => {
  const ms = instant(args, 0);
  const pattern = args.text(1, 'yyyy-MM-dd');
  if (pattern.length > MAX_FORMAT_CHARS) throw args.fail(`the format is longer than ${MAX_FORMAT_CHARS} characters`);
  const result = formatDate(ms, zone(args, 2).offsetAt(ms), pattern);
  if ('unknown' in result) throw args.fail("the format has an unknown field or an open quote; quote words like 'this'");
  return result.text;
};

/** `add_time(t, "1d12h")`, `add_time(t, "-30m")`, `add_time(t, seconds)`, `add_time(t, 3, "months")`. */
const addTime = (args: Arguments): Json => {
  const start = instant(args, 0);
  if (args.count === 2) return iso(args, start + signedDuration(args));
  const amount = args.integer(1, -MAX_AMOUNT, MAX_AMOUNT);
  const unit = args.word(2, [...UNITS, ...CALENDAR]);
  if (unit === 'months' || unit === 'years') return iso(args, addMonths(start, amount * UNIT_MONTHS[unit]));
  return iso(args, start + amount * UNIT_MS[unit]);
};

const signedDuration = (args: Arguments): number => {
  const value = args.value(1);
  if (typeof value !== 'string' && typeof value !== 'number') throw args.wrong(1, 'duration', value);
  const text = String(value).slice(0, 100).trim();
  const ms = parseDuration(text.replace(/^[+-]/, ''));
  if (ms === null) throw args.fail('argument 2 is not a duration such as 1h30m or -7d');
  return text.startsWith('-') ? -ms : ms;
};

/** The same day of another month, or that month's last day when it is shorter. */
const addMonths = (start: number, months: number): number => {
  const from = new Date(start);
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1);
  const daysInMonth = new Date(
    Date.UTC(new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + 1, 0),
  ).getUTCDate();
  const timeOfDay = ((start % UNIT_MS.d) + UNIT_MS.d) % UNIT_MS.d;
  return first + (Math.min(from.getUTCDate(), daysInMonth) - 1) * UNIT_MS.d + timeOfDay;
};

/** How much later the first time is than the second; negative when it is earlier. */
const diffTime = (args: Arguments): Json => {
  const ms = instant(args, 0) - instant(args, 1);
  const unitMs = UNIT_MS[args.word(2, UNITS, 's')];
  return ms / unitMs;
};

/** Functions over time. Times are ISO 8601 text in UTC; months and years are those of UTC. */
export const timeFunctions: Family = {
  now: { min: 0, max: 0, call: ({ env }) => new Date(env.now).toISOString() },
  date: { min: 1, max: 2, call: (args) => iso(args, instant(args, 0, zone(args, 1))) },
  format_date: { min: 1, max: 3, call: format },
  add_time: { min: 2, max: 3, call: addTime },
  diff_time: { min: 2, max: 3, call: diffTime },
};
