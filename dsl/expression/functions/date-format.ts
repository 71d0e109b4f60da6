const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const PIECE = /'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g;

/** An instant in a time zone: `local` to be read with the UTC getters, its offset, and the instant itself. */
interface ZonedInstant {
  local: Date;
  offsetMs: number;
  ms: number;
}

const two = (value: number): string => String(value).padStart(2, '0');
const year = ({ local }: ZonedInstant): string => String(local.getUTCFullYear()).padStart(4, '0');
const day = ({ local }: ZonedInstant): string => two(local.getUTCDate());
const hour12 = ({ local }: ZonedInstant): number => local.getUTCHours() % 12 || 12;
const offset = ({ offsetMs }: ZonedInstant): string => {
  if (offsetMs === 0) return 'Z';
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
};

// YYYY and DD are the spellings of other libraries for yyyy and dd. In Unicode's own patterns they mean the year of the
// week and the day of the year, which is hardly ever intended.
const FIELDS: ReadonlyMap<string, (shown: ZonedInstant) => string> = new Map<string, (shown: ZonedInstant) => string>([
  ['yyyy', year],
  ['YYYY', year],
  ['yy', (shown) => year(shown).slice(-2)],
  ['YY', (shown) => year(shown).slice(-2)],
  ['MMMM', ({ local }) => MONTHS[local.getUTCMonth()] as string],
  ['MMM', ({ local }) => (MONTHS[local.getUTCMonth()] as string).slice(0, 3)],
  ['MM', ({ local }) => two(local.getUTCMonth() + 1)],
  ['M', ({ local }) => String(local.getUTCMonth() + 1)],
  ['dd', day],
  ['DD', day],
  ['d', ({ local }) => String(local.getUTCDate())],
  ['D', ({ local }) => String(local.getUTCDate())],
  ['EEEE', ({ local }) => DAYS[local.getUTCDay()] as string],
  ['EEE', ({ local }) => (DAYS[local.getUTCDay()] as string).slice(0, 3)],
  ['HH', ({ local }) => two(local.getUTCHours())],
  ['H', ({ local }) => String(local.getUTCHours())],
  ['hh', (shown) => two(hour12(shown))],
  ['h', (shown) => String(hour12(shown))],
  ['mm', ({ local }) => two(local.getUTCMinutes())],
  ['m', ({ local }) => String(local.getUTCMinutes())],
  ['ss', ({ local }) => two(local.getUTCSeconds())],
  ['s', ({ local }) => String(local.getUTCSeconds())],
  ['SSS', ({ local }) => String(local.getUTCMilliseconds()).padStart(3, '0')],
  ['a', ({ local }) => (local.getUTCHours() < 12 ? 'AM' : 'PM')],
  ['T', () => 'T'],
  ['Z', offset],
  ['X', ({ ms }) => String(Math.floor(ms / 1_000))],
  ['x', ({ ms }) => String(ms)],
]);

/**
 * Formats an instant by a pattern of Unicode date fields (`yyyy-MM-dd HH:mm`); literal text is in single quotes.
 * Returns the unknown field when the pattern contains one.
 */
export function formatDate(ms: number, offsetMs: number, pattern: string): { text: string } | { unknown: string } {
  const shown: ZonedInstant = { local: new Date(ms + offsetMs), offsetMs, ms };
  let text = '';
  for (const [piece, letter] of pattern.matchAll(PIECE)) {
    if (letter !== undefined) {
      const field = FIELDS.get(piece);
      if (field === undefined) return { unknown: piece };
      text += field(shown);
    } else if (piece === "'") {
      return { unknown: 'a quote without an end' };
    } else {
      text += piece.startsWith("'") ? quoted(piece) : piece;
    }
  }
  return { text };
}

const quoted = (piece: string): string => (piece === "''" ? "'" : piece.slice(1, -1).replaceAll("''", "'"));
