/** The fields of a cron expression, with their ranges and the names that may stand for numbers. */
const FIELDS = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of the month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  // 0 and 7 are Sunday.
  { name: 'day of the week', min: 0, max: 7, names: 'sun mon tue wed thu fri sat'.split(' ') },
] as const;

type Field = (typeof FIELDS)[number];

const MACROS: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

const LONGEST = 200;
const LONGEST_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const PART = /^(?:(\*)|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/;

/** Why a text is no cron expression of five fields (or `@daily` and the like), field by field; null when it is one. */
export function cronFault(text: string): string | null {
  const fields = text.trim().toLowerCase().split(/\s+/);
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (fields.length === 1 && fields[0]?.startsWith('@')) {
    return MACROS.has(fields[0]) ? null : `${fields[0]} is not one of ${[...MACROS].join(', ')}`;
  }
  if (fields.length !== FIELDS.length) {
    return `has ${fields.length} of 5 fields: ${FIELDS.map(({ name }) => name).join(', ')}`;
  }
  const read = FIELDS.map((field, index) => readField(fields[index] ?? '', field));
  const fault = read.find((each) => typeof each === 'string');
  if (typeof fault === 'string') return fault;
  const [, , days, months] = read as Set<number>[];
  // With a day of the week as well, either of the two is enough.
  return fields[4] === '*' && neverComes(days, months) ? 'names a day that no month of it has' : null;
}

const neverComes = (days: ReadonlySet<number> = new Set(), months: ReadonlySet<number> = new Set()): boolean =>
  [...months].every((month) => Math.min(...days) > (LONGEST_MONTH[month - 1] ?? 0));

/** The numbers that a field stands for, or what is wrong with it. */
function readField(text: string, field: Field): Set<number> | string {
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const found = PART.exec(part);
    if (found === null) return `${field.name}: cannot read ${JSON.stringify(part.slice(0, 20))}`;
    const [, all, first = '', last, step] = found;
    const from = all === undefined ? numberOf(first, field) : field.min;
    const given = last === undefined ? (step === undefined ? from : field.max) : numberOf(last, field);
    const to = all === undefined ? given : field.max;
    const every = Number(step ?? 1);
    if (from === null) return `${field.name}: ${first} is not from ${field.min} to ${field.max}`;
    if (to === null) return `${field.name}: ${last} is not from ${field.min} to ${field.max}`;
    if (to < from) return `${field.name}: ${part} ends before it begins`;
    if (every < 1 || every > field.max) return `${field.name}: the step ${every} is not from 1 to ${field.max}`;
    for (let number = from; number <= to; number += every) numbers.add(number);
  }
  return numbers;
}

function numberOf(word: string, { names, min, max }: Field): number | null {
  const named = (names as readonly string[]).indexOf(word);
  const number = named === -1 ? (/^\d{1,2}$/.test(word) ? Number(word) : Number.NaN) : named + min;
  return number >= min && number <= max ? number : null;
}
