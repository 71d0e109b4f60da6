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

const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const MAX_CHARS = 200;
const MAX_DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const PART = /^(?:(\*)|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/;

/** What a cron expression names: the numbers of each field. Null stands for a `*` that leaves the day to the other field. */
export interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number> | null;
  readonly months: ReadonlySet<number>;
  /** From 0, Sunday, to 6. Where both are there, a day of either field is enough. */
  readonly weekdays: ReadonlySet<number> | null;
}

/** Why a text is no cron expression of five fields (or `@daily` and the like), field by field; null when it is one. */
export function cronFault(text: string): string | null {
  const read = readCron(text);
  return typeof read === 'string' ? read : null;
}

/** A cron expression of five fields (or `@daily` and the like), or why the text is none. */
export function readCron(text: string): CronFields | string {
  const written = text.trim().toLowerCase();
  if (text.length > MAX_CHARS) return `is longer than ${MAX_CHARS} characters`;
  const macro = written.startsWith('@') && !/\s/.test(written) ? written : null;
  if (macro !== null && !MACROS.has(macro)) return `${macro} is not one of ${[...MACROS.keys()].join(', ')}`;
  const fields = (MACROS.get(macro ?? '') ?? written).split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return `has ${fields.length} of 5 fields: ${FIELDS.map(({ name }) => name).join(', ')}`;
  }
  const read = FIELDS.map((field, index) => readField(fields[index] ?? '', field));
  const fault = read.find((each) => typeof each === 'string');
  if (typeof fault === 'string') return fault;
  const [minutes, hours, days, months, weekdays] = read as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  // With a day of the week as well, either of the two is enough.
  if (fields[4] === '*' && neverComes(days, months)) return 'names a day that no month of it has';
  return {
    minutes,
    hours,
    days: fields[2] === '*' ? null : days,
    months,
    weekdays: fields[4] === '*' ? null : new Set([...weekdays].map((day) => day % 7)),
  };
}

const neverComes = (days: ReadonlySet<number>, months: ReadonlySet<number>): boolean =>
  [...months].every((month) => Math.min(...days) > (MAX_DAYS_OF_MONTH[month - 1] ?? 0));

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
