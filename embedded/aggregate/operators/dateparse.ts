import { ServerError } from '../../bson/error';
import { civilMs, type Civil, toEpochMs, type Zone, zoneOf } from './calendar';

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
