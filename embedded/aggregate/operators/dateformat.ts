import { ServerError } from '../../bson/error';
import {
  type Civil,
  civilOf,
  dayOfYear,
  isoWeek,
  MINUTE_MS,
  toLocalMs,
  weekday,
  weekOfYear,
  type Zone,
} from './calendar';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

interface Moment {
  civil: Civil;
  local: number;
  offsetMinutes: number;
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

const LETTERS: Record<string, (moment: Moment) => string> = {
  Y: ({ civil }) => pad(civil.year, 4),
  m: ({ civil }) => pad(civil.month, 2),
  d: ({ civil }) => pad(civil.day, 2),
  H: ({ civil }) => pad(civil.hour, 2),
  M: ({ civil }) => pad(civil.minute, 2),
  S: ({ civil }) => pad(civil.second, 2),
  L: ({ civil }) => pad(civil.millisecond, 3),
  j: ({ local }) => pad(dayOfYear(local), 3),
  w: ({ local }) => String(weekday(local) + 1),
  U: ({ local }) => pad(weekOfYear(local), 2),
  u: ({ local }) => String(isoWeek(local).day),
  V: ({ local }) => pad(isoWeek(local).week, 2),
  G: ({ local }) => pad(isoWeek(local).year, 4),
  b: ({ civil }) => (MONTHS[civil.month - 1] as string).slice(0, 3),
  B: ({ civil }) => MONTHS[civil.month - 1] as string,
  z: ({ offsetMinutes }) =>
    `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offsetMinutes) / 60), 2)}${pad(Math.abs(offsetMinutes) % 60, 2)}`,
  Z: ({ offsetMinutes }) => `${offsetMinutes < 0 ? '-' : ''}${pad(Math.abs(offsetMinutes), 3)}`,
  '%': () => '%',
};

/** A date as text in the server's `%` format. @throws ServerError 18535 or 18536 for a format it does not know */
export function formatDate(epochMs: number, format: string, zone: Zone): string {
  const civil = civilOf(epochMs, zone);
  if (civil.year < 0 || civil.year > 9999)
    throw new ServerError(18537, `$dateToString is only defined on year 0-9999, tried to use year ${civil.year}`);
  const moment: Moment = {
    civil,
    local: toLocalMs(epochMs, zone),
    offsetMinutes: Math.trunc(zone.offsetAt(epochMs) / MINUTE_MS),
  };
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    if (letter === '') throw new ServerError(18535, "Unmatched '%' at end of format string");
    if (!Object.hasOwn(LETTERS, letter))
      throw new ServerError(18536, `Invalid format character '%${letter}' in format string`);
    return (LETTERS[letter] as (moment: Moment) => string)(moment);
  });
}
