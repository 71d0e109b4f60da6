const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in at most two units: `840 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return twoUnits(ms, [MINUTE, 'min'], [SECOND, 's']);
  if (ms < DAY) return twoUnits(ms, [HOUR, 'h'], [MINUTE, 'min']);
  return twoUnits(ms, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [ms: number, name: string];

function twoUnits(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  const first = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

const RELATIVE: readonly (readonly [ms: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
/** After this, a date says more than a number of days. */
const MAX_RELATIVE_DAYS = 7;

/** `2 min. ago`, `in 3 hr.`, `just now`, or a date when it is more than a week away. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) < 5 * SECOND) return 'just now';
  if (Math.abs(distance) > MAX_RELATIVE_DAYS * DAY) return formatDate(at, now);
  const [ms, unit] = RELATIVE.find(([length]) => Math.abs(distance) >= length) ?? [SECOND, 'second' as const];
  return relative.format(Math.trunc(distance / ms), unit);
}

/** How long until `formatRelative` gives another text. */
export function relativeTextLasts(at: number, now: number): number {
  const distance = Math.abs(at - now);
  if (distance < MINUTE) return SECOND;
  return distance < HOUR ? MINUTE / 2 : 10 * MINUTE;
}

/** `14 Mar`, with the year when it is another one. */
export function formatDate(at: number, now: number): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
  }).format(at);
}

/** Date and time of the user's zone, with its name, to the millisecond on request. */
export const formatInstant = (at: number, precise = false): string =>
  new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    ...(precise ? { fractionalSecondDigits: 3 as const } : {}),
  }).format(at);

/** Date and time in a named zone, as a schedule has it: `Sun 28 Mar 2027, 12:00 CEST`. An unknown zone is shown as UTC. */
export function formatInZone(at: number, timeZone: string): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  try {
    return new Intl.DateTimeFormat('en-GB', { ...parts, ...time, timeZone }).format(at);
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...parts, ...time, timeZone: 'UTC' }).format(at);
  }
}

/** The time of day, `14:05:09`. */
export const formatClock = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at);

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat('en');

/** `999`, `1.2K`, `3.4M`. */
export const formatCompact = (count: number): string => compact.format(count);
/** `1,234,567`. */
export const formatCount = (count: number): string => whole.format(count);
export const formatPercent = (share: number): string =>
  `${share > 0 && share < 0.01 ? '<1' : share < 1 && share > 0.99 ? '>99' : Math.round(share * 100)}%`;

/** US dollars, with more digits for small amounts. */
export function formatUsd(amount: number): string {
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2;
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: digits }).format(
    amount,
  );
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < BYTE_UNITS.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}
