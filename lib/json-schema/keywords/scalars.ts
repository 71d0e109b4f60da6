import type { Json } from '../../json';
import { typeName } from '../../json-path';
import type { Pattern } from '../../regex';
import type { Check, Rule } from '../check';
import { counted, type Keyword, type Vocabulary } from '../keyword';
import { isIPv4, isIPv6 } from 'node:net';

/** A format of texts that is checked. */
interface Format {
  readonly words: string;
  readonly fits: (text: string) => boolean;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const HOSTNAME = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** RFC 3339 section 5.6. */
const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^[t ]$/i.test(text.charAt(10)) && TIME.test(text.slice(11));

/** The formats of JSON Schema 2020-12 that inputs of people need. */
const FORMATS: Readonly<Record<string, Format>> = {
  'date-time': { words: 'a date with time (2026-03-01T12:00:00Z)', fits: isDateTime },
  date: { words: 'a date (2026-03-01)', fits: isDate },
  time: { words: 'a time with zone (12:00:00Z)', fits: (text) => TIME.test(text) },
  email: { words: 'an e-mail address', fits: (text) => EMAIL.test(text) },
  hostname: { words: 'a host name', fits: (text) => text.length <= 253 && HOSTNAME.test(text) },
  ipv4: { words: 'an IPv4 address', fits: isIPv4 },
  ipv6: { words: 'an IPv6 address', fits: (text) => isIPv6(text) && !text.includes('%') },
  uri: { words: 'a URI', fits: (text) => SCHEME.test(text) && URL.canParse(text) && !/\s/.test(text) },
  uuid: { words: 'a UUID', fits: (text) => UUID.test(text) },
};

const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
const TYPE_NAMES = Object.keys(TYPES).join(', ');

const type: Keyword = (operand, here) => {
  const names = Array.isArray(operand) ? operand : [operand];
  if (names.length === 0 || !names.every((name) => typeof name === 'string' && Object.hasOwn(TYPES, name))) {
    return here.wrong(`must be one or several of ${TYPE_NAMES}`);
  }
  const tests = names.map((name) => TYPES[name as string] as (value: Json) => boolean);
  const wanted = names.join(' or ');
  return (value, check) => {
    if (!tests.some((test) => test(value))) check.fault(`must be ${wanted}, not ${typeName(value)}`);
  };
};

const SHOWN_OPTIONS = 20;
const MAX_OPTION_CHARACTERS = 100;

function show(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MAX_OPTION_CHARACTERS ? `${text.slice(0, MAX_OPTION_CHARACTERS)}...` : text;
}

const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null;

/** Among values that equal JSON: scalars by themselves, others by their text. */
function oneOfValues(options: readonly Json[], message: string): Rule {
  const scalars = new Set<Json>(options.filter(isScalar));
  const others = options.filter((option) => !isScalar(option));
  let texts: ReadonlySet<string> | null = null;
  return (value, check) => {
    if (isScalar(value)) {
      if (!scalars.has(value)) check.fault(message);
      return;
    }
    texts ??= new Set(others.map((option) => check.textOf(option)));
    if (others.length === 0 || !texts.has(check.textOf(value))) check.fault(message);
  };
}

const enumeration: Keyword = (operand, here) => {
  if (!Array.isArray(operand)) return here.wrong('must be a list of values');
  const shown = operand.slice(0, SHOWN_OPTIONS).map(show).join(', ');
  const more = operand.length > SHOWN_OPTIONS ? ` and ${operand.length - SHOWN_OPTIONS} more` : '';
  return oneOfValues(operand, `must be one of ${shown}${more}`);
};

const constant: Keyword = (operand) => oneOfValues([operand], `must be ${show(operand)}`);

/** A keyword about numbers, with a number for operand. */
const bound =
  (holds: (value: number, limit: number) => boolean, words: string): Keyword =>
  (limit, here) => {
    if (typeof limit !== 'number') return here.wrong('must be a number');
    return (value, check) => {
      if (typeof value === 'number' && !holds(value, limit)) check.fault(`must be ${words} ${limit}`);
    };
  };

/** Decimal fractions are inexact in binary: a value within rounding error counts as a multiple. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient);
}

const multipleOf: Keyword = (operand, here) =>
  typeof operand === 'number' && operand > 0
    ? bound(isMultiple, 'a multiple of')(operand, here)
    : here.wrong('must be a number above 0');

const characters = counted((value, check) => {
  if (typeof value !== 'string') return null;
  check.spend(value.length >> 5);
  return codePoints(value);
}, 'characters');

function codePoints(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    if ((text.codePointAt(index) as number) > 0xffff) {
      pairs++;
      index++;
    }
  }
  return text.length - pairs;
}

/** Whether a text matches, after paying for it: at worst each instruction is tried at each character (measured). */
export function matches(pattern: Pattern, text: string, check: Check): boolean {
  check.spend(1 + Math.ceil((pattern.instructions * text.length) / 8));
  return pattern.test(text);
}

const pattern: Keyword = (operand, here) => {
  if (typeof operand !== 'string') return here.wrong('must be a regular expression, as text');
  const compiled = here.pattern(operand);
  if (compiled === null) return null;
  return (value, check) => {
    if (typeof value === 'string' && !matches(compiled, value, check)) check.fault(`must match ${show(operand)}`);
  };
};

/** Formats that are known are checked; others only describe. */
const format: Keyword = (operand, here) => {
  if (typeof operand !== 'string') return here.wrong('must be a text');
  const known = Object.hasOwn(FORMATS, operand) ? FORMATS[operand] : undefined;
  if (known === undefined) return null;
  return (value, check) => {
    if (typeof value !== 'string') return;
    check.spend(1 + (value.length >> 5));
    if (!known.fits(value)) check.fault(`must be ${known.words}`);
  };
};

export const scalarKeywords: Vocabulary = [
  ['type', type],
  ['enum', enumeration],
  ['const', constant],
  ['minimum', bound((value, limit) => value >= limit, 'at least')],
  ['maximum', bound((value, limit) => value <= limit, 'at most')],
  ['exclusiveMinimum', bound((value, limit) => value > limit, 'above')],
  ['exclusiveMaximum', bound((value, limit) => value < limit, 'below')],
  ['multipleOf', multipleOf],
  ['minLength', characters.min],
  ['maxLength', characters.max],
  ['pattern', pattern],
  ['format', format],
];
