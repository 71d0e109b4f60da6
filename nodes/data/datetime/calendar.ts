import type { Zone } from '../../../dsl';

/** Units of the same length always, in milliseconds. */
const EXACT = { milliseconds: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000 } as const;
/** Units of the calendar: days of 23 to 25 hours where clocks change. */
const DAYS = { days: 1, weeks: 7 } as const;
const MONTHS = { months: 1, quarters: 3, years: 12 } as const;
const DAY_MS = 86_400_000;

export type Unit = keyof typeof EXACT | keyof typeof DAYS | keyof typeof MONTHS;

/** Smallest first. */
export const UNITS: readonly Unit[] = [
  'milliseconds',
  'seconds',
  'minutes',
  'hours',
  'days',
  'weeks',
  'months',
  'quarters',
  'years',
];

const isExact = (unit: Unit): unit is keyof typeof EXACT => Object.hasOwn(EXACT, unit);
const isDays = (unit: Unit): unit is keyof typeof DAYS => Object.hasOwn(DAYS, unit);

/** The local time of a zone, as if it were UTC. */
export const localOf = (ms: number, zone: Zone): number => ms + zone.offsetAt(ms);

/** An instant so many units later; by days and longer, at the same time of day there. */
export function add(ms: number, amount: number, unit: Unit, zone: Zone): number {
  if (amount === 0) return ms;
  if (isExact(unit)) return ms + amount * EXACT[unit];
  const local = localOf(ms, zone);
  if (isDays(unit)) return zone.fromLocal(local + amount * DAYS[unit] * DAY_MS);
  return zone.fromLocal(addMonths(local, amount * MONTHS[unit]));
}

/** The same day of another month, or that month's last day when it is shorter. */
function addMonths(local: number, months: number): number {
  const from = new Date(local);
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1);
  const daysInMonth = new Date(addMonth(first) - DAY_MS).getUTCDate();
  return first + (Math.min(from.getUTCDate(), daysInMonth) - 1) * DAY_MS + timeOfDay(local);
}

const addMonth = (first: number): number => {
  const date = new Date(first);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
};

const timeOfDay = (local: number): number => ((local % DAY_MS) + DAY_MS) % DAY_MS;

/** The instant at which the unit began that holds this one; weeks begin on Monday. */
export function startOf(ms: number, unit: Unit, zone: Zone): number {
  const local = localOf(ms, zone);
  // Where clocks are put back an hour comes twice: going back from the instant stays in its own.
  if (isExact(unit)) return ms - (((local % EXACT[unit]) + EXACT[unit]) % EXACT[unit]);
  return zone.fromLocal(startOfLocal(local, unit));
}

/** The last millisecond of the unit that holds an instant. */
export function endOf(ms: number, unit: Unit, zone: Zone): number {
  if (isExact(unit)) return startOf(ms, unit, zone) + EXACT[unit] - 1;
  const start = startOfLocal(localOf(ms, zone), unit);
  const next = isDays(unit) ? start + DAYS[unit] * DAY_MS : addMonths(start, MONTHS[unit]);
  return zone.fromLocal(next) - 1;
}

function startOfLocal(local: number, unit: Exclude<Unit, keyof typeof EXACT>): number {
  const midnight = local - timeOfDay(local);
  if (unit === 'days') return midnight;
  const date = new Date(local);
  if (unit === 'weeks') return midnight - (weekday(date) - 1) * DAY_MS;
  const month = date.getUTCMonth();
  return Date.UTC(date.getUTCFullYear(), month - (month % MONTHS[unit]), 1);
}

/** 1 for Monday to 7 for Sunday. */
export const weekday = (local: Date): number => local.getUTCDay() || 7;

/** Week of the year by ISO 8601: the first one has the year's first Thursday. */
export function isoWeek(local: Date): number {
  const thursday = local.getTime() + (4 - weekday(local)) * DAY_MS;
  return Math.floor((thursday - Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)) / (7 * DAY_MS)) + 1;
}

/** 1 for January 1st. */
export const dayOfYear = (local: Date): number =>
  Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;

/**
 * How many units `to` is later than `from`, negative when it is earlier: with fractions up to weeks, where days are
 * those of the zone's calendar; whole months and longer.
 */
export function difference(from: number, to: number, unit: Unit, zone: Zone): number {
  if (isExact(unit)) return (to - from) / EXACT[unit];
  if (isDays(unit)) return (localOf(to, zone) - localOf(from, zone)) / (DAYS[unit] * DAY_MS);
  const months = wholeMonths(localOf(from, zone), localOf(to, zone));
  // Adding 0 makes a negative zero, which JSON does not have, a plain one.
  return Math.trunc(months / MONTHS[unit]) + 0;
}

function wholeMonths(from: number, to: number): number {
  const [start, end] = [new Date(from), new Date(to)];
  const months = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
  if (months > 0 && addMonths(from, months) > to) return months - 1;
  if (months < 0 && addMonths(from, months) < to) return months + 1;
  return months;
}
