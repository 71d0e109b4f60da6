import { instantOfText, type Zone } from '../../../dsl';
import { misconfigured } from '../computed';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const PIECE = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g;

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'milli' | 'half' | 'offset' | 'weekday';

const names = (words: readonly string[]): string => words.join('|');
const short = MONTHS.map((name) => name.slice(0, 3));

/** What each field of a pattern reads; letters as when times are written. */
const FIELDS: ReadonlyMap<string, readonly [Part, string]> = new Map([
  ['yyyy', ['year', '\\d{4}']],
  ['YYYY', ['year', '\\d{4}']],
  ['yy', ['year', '\\d{2}']],
  ['YY', ['year', '\\d{2}']],
  ['MMMM', ['month', names(MONTHS)]],
  ['MMM', ['month', names(short)]],
  ['MM', ['month', '\\d{2}']],
  ['M', ['month', '\\d{1,2}']],
  ['dd', ['day', '\\d{2}']],
  ['DD', ['day', '\\d{2}']],
  ['d', ['day', '\\d{1,2}']],
  ['D', ['day', '\\d{1,2}']],
  ['EEEE', ['weekday', '[a-z]{6,9}']],
  ['EEE', ['weekday', '[a-z]{3}']],
  ['HH', ['hour', '\\d{2}']],
  ['H', ['hour', '\\d{1,2}']],
  ['hh', ['hour', '\\d{2}']],
  ['h', ['hour', '\\d{1,2}']],
  ['mm', ['minute', '\\d{2}']],
  ['m', ['minute', '\\d{1,2}']],
  ['ss', ['second', '\\d{2}']],
  ['s', ['second', '\\d{1,2}']],
  ['SSS', ['milli', '\\d{3}']],
  ['a', ['half', '[ap]m']],
  ['T', ['weekday', 't']],
  ['Z', ['offset', 'z|[+-]\\d{2}:?\\d{2}']],
]);

type Parts = Partial<Record<Part, string>>;

/**
 * Parses a text by a pattern such as `dd.MM.yyyy HH:mm` to epoch milliseconds; null if it does not match or the date does
 * not exist. Without an offset it is read in `zone`. Missing fields have their first value; the year is required.
 * @throws Refusal for a pattern with unknown or repeated fields
 */
export function instantByPattern(text: string, pattern: string, zone: Zone): number | null {
  const { regex, order } = readerOf(pattern);
  const found = regex.exec(text.length > 200 ? '' : text.trim());
  if (found === null) return null;
  const parts: Parts = {};
  for (const [index, part] of order.entries()) parts[part] = found[index + 1];
  const hour = hourOf(parts);
  if (hour === null) return null;
  const two = (value: string | number = 1): string => String(value).padStart(2, '0');
  const date = `${yearOf(parts.year as string)}-${two(monthOf(parts.month))}-${two(parts.day)}`;
  const time = `${two(hour)}:${two(parts.minute ?? 0)}:${two(parts.second ?? 0)}.${parts.milli ?? '000'}`;
  return instantOfText(`${date}T${time}${parts.offset ?? ''}`, zone);
}

/** Each field is read once, so that matching cannot try very many ways to share digits among them. */
function readerOf(pattern: string): { regex: RegExp; order: Part[] } {
  const order: Part[] = [];
  let source = '';
  for (const [piece, letter] of pattern.matchAll(PIECE)) {
    if (letter === undefined) {
      if (piece === "'") throw misconfigured('the pattern has a quote without an end');
      source += literal(piece);
      continue;
    }
    const field = FIELDS.get(piece);
    if (field === undefined) throw misconfigured(`the pattern has an unknown field ${piece}; quote words like 'this'`);
    if (order.includes(field[0])) throw misconfigured(`the pattern reads the ${field[0]} twice`);
    order.push(field[0]);
    source += `(${field[1]})`;
  }
  if (!order.includes('year')) throw misconfigured('the pattern reads no year');
  return { regex: new RegExp(`^${source}$`, 'i'), order };
}

function literal(piece: string): string {
  const text = piece.startsWith("'") ? (piece === "''" ? "'" : piece.slice(1, -1).replaceAll("''", "'")) : piece;
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Years of two digits are those from 1969 to 2068, as POSIX has it. */
const yearOf = (text: string): string => (text.length === 4 ? text : `${Number(text) < 69 ? '20' : '19'}${text}`);

function monthOf(text: string | undefined): string | number {
  if (text === undefined || /^\d/.test(text)) return text ?? 1;
  return short.indexOf(text.slice(0, 3).toLowerCase()) + 1;
}

/** The hour from 0 to 23 (or one that no day has), null for one that no half of the day has. */
function hourOf({ hour = '0', half }: Parts): number | null {
  const value = Number(hour);
  if (half === undefined) return value;
  if (value < 1 || value > 12) return null;
  return (value % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}
