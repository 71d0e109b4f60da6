import { ServerError } from '../../bson/error';
import { civilMs, type Civil, isoYearStart, DAY_MS, MINUTE_MS, toEpochMs, type Zone, zoneOf } from './calendar';

const failure = (text: string, why: string): ServerError =>
  new ServerError('ConversionFailure', `Error parsing date string '${text}'; ${why}`);

const ISO =
  /^\s*(\d{4})-?(\d{2})-?(\d{2})(?:[T\s]+(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{0,2}|[A-Za-z_]+\/[A-Za-z_/]+)?\s*$/i;

/**
 * A date from ISO 8601 text; without a zone in the text it is local to `zone`.
 * Other spellings that the server's parser guesses at are refused as unparsable.
 */
export function parseDate(text: string, zone: Zone): Date {
  const match = ISO.exec(text);
  if (match === null) throw failure(text, 'no recognized format');
  const [, year, month, day, hour, minute, second, fraction, zoneText] = match;
  const civil: Civil = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    millisecond: Number((fraction ?? '').padEnd(3, '0').slice(0, 3)),
  };
  return instant(text, civil, zoneText === undefined ? zone : zoneFrom(zoneText));
}

const zoneFrom = (text: string): Zone => zoneOf(/^(?:z|utc|gmt)$/i.test(text) ? 'UTC' : text);

function instant(text: string, civil: Civil, zone: Zone): Date {
  const inRange =
    civil.month >= 1 &&
    civil.month <= 12 &&
    civil.day >= 1 &&
    civil.day <= 31 &&
    civil.hour <= 24 &&
    civil.minute <= 59 &&
    civil.second <= 60;
  if (!inRange) throw failure(text, 'a part is out of range');
  return new Date(toEpochMs(civilMs(civil), zone));
}

interface Parsed extends Civil {
  isoYear?: number;
  isoWeek?: number;
  isoDay?: number;
  zone?: Zone;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** How each letter of a format reads text: a pattern, and where the number goes. */
const READERS: Record<string, { pattern: string; store: (parsed: Parsed, text: string) => void }> = {
  Y: { pattern: '\\d{4}', store: (parsed, text) => void (parsed.year = Number(text)) },
  m: { pattern: '\\d{1,2}', store: (parsed, text) => void (parsed.month = Number(text)) },
  d: { pattern: '\\d{1,2}', store: (parsed, text) => void (parsed.day = Number(text)) },
  H: { pattern: '\\d{1,2}', store: (parsed, text) => void (parsed.hour = Number(text)) },
  M: { pattern: '\\d{1,2}', store: (parsed, text) => void (parsed.minute = Number(text)) },
  S: { pattern: '\\d{1,2}', store: (parsed, text) => void (parsed.second = Number(text)) },
  L: { pattern: '\\d{1,3}', store: (parsed, text) => void (parsed.millisecond = Number(text.padEnd(3, '0'))) },
  G: { pattern: '\\d{4}', store: (parsed, text) => void (parsed.isoYear = Number(text)) },
  V: { pattern: '\\d{1,2}', store: (parsed, text) => void (parsed.isoWeek = Number(text)) },
  u: { pattern: '[1-7]', store: (parsed, text) => void (parsed.isoDay = Number(text)) },
  z: {
    pattern: '(?:Z|[+-]\\d{2}:?\\d{2}|[A-Za-z_]+(?:/[A-Za-z_]+)*)',
    store: (parsed, text) => void (parsed.zone = zoneFrom(text)),
  },
  Z: {
    pattern: '[+-]\\d{1,4}',
    store: (parsed, text) => void (parsed.zone = { offsetAt: () => Number(text) * MINUTE_MS }),
  },
  b: { pattern: '[A-Za-z]{3}', store: (parsed, text) => void (parsed.month = MONTHS.indexOf(text.toLowerCase()) + 1) },
  B: {
    pattern: '[A-Za-z]{3,9}',
    store: (parsed, text) => void (parsed.month = MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1),
  },
};

/** A date from text in the given `%` format. */
export function parseDateAs(text: string, format: string, zone: Zone): Date {
  const letters: string[] = [];
  const pattern = format.replace(/%(.)|([.*+?^${}()|[\]\\])/gs, (_, letter: string | undefined, special: string) => {
    if (letter === undefined) return `\\${special}`;
    if (letter === '%') return '%';
    if (!Object.hasOwn(READERS, letter))
      throw new ServerError(18536, `Invalid format character '%${letter}' in format string`);
    letters.push(letter);
    return `(${READERS[letter]?.pattern})`;
  });
  const match = new RegExp(`^${pattern}$`, 's').exec(text);
  if (match === null) throw failure(text, `it does not match the format '${format}'`);
  const parsed: Parsed = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
  for (const [index, letter] of letters.entries()) READERS[letter]?.store(parsed, match[index + 1] as string);
  if (parsed.isoYear !== undefined) return new Date(toEpochMs(isoLocal(parsed, parsed.isoYear), parsed.zone ?? zone));
  return instant(text, parsed, parsed.zone ?? zone);
}

function isoLocal(parsed: Parsed, year: number): number {
  const days = ((parsed.isoWeek ?? 1) - 1) * 7 + (parsed.isoDay ?? 1) - 1;
  const time = civilMs({ ...parsed, year: 1970, month: 1, day: 1 });
  return isoYearStart(year) + days * DAY_MS + time;
}
