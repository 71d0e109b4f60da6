import type { JsonSchema } from '../../nodes/contract';
import { DEFINITIONS } from '../types';

/** Said at the top of each page that is made. */
export const MADE = '<!-- Made by `npm run generate`; not to be changed by hand. -->';

/** A table; cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export const code = (text: string): string => `\`${text}\``;

/** The anchor that GitHub gives to a heading. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** A schema's type in few words, such as `list of text`. `named` says how a type with a name is shown. */
export function words(schema: JsonSchema, named: (name: string) => string = code): string {
  const { $ref, enum: values, anyOf, oneOf, type, items } = schema;
  if (typeof $ref === 'string') return named($ref.slice(DEFINITIONS.length));
  if ('const' in schema) return code(JSON.stringify(schema.const));
  if (Array.isArray(values)) return values.map((value) => code(JSON.stringify(value))).join(', ');
  const either = anyOf ?? oneOf;
  if (Array.isArray(either)) return [...new Set(either.map((each) => words(each as JsonSchema, named)))].join(' or ');
  if (type === 'array') return `list of ${items === undefined ? 'anything' : words(items as JsonSchema, named)}`;
  if (Array.isArray(type)) return type.map((each) => WORDS[String(each)] ?? String(each)).join(' or ');
  return WORDS[String(type)] ?? 'anything';
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
  null: 'null',
};

const LIMITS = [
  ['minimum', (value: unknown) => `from ${String(value)}`],
  ['exclusiveMinimum', (value: unknown) => `over ${String(value)}`],
  ['maximum', (value: unknown) => `to ${String(value)}`],
  ['minLength', (value: unknown) => `at least ${String(value)} long`],
  ['maxLength', (value: unknown) => `at most ${String(value)} long`],
  ['minItems', (value: unknown) => `at least ${String(value)}`],
  ['maxItems', (value: unknown) => `at most ${String(value)}`],
] as const;

/** Type, bounds and default of a member. */
export function typeCell(schema: JsonSchema, named?: (name: string) => string): string {
  const limits = LIMITS.flatMap(([key, tell]) => (schema[key] === undefined ? [] : [tell(schema[key])]));
  const fallback = schema.default === undefined ? [] : [`default ${code(JSON.stringify(schema.default))}`];
  return [words(schema, named), ...limits, ...fallback].join(', ');
}

/** The members of an object in rows: name, type, meaning. Those that must be there have a star. */
export function memberRows(schema: JsonSchema, named?: (name: string) => string): string[][] {
  const required = new Set((schema.required ?? []) as readonly string[]);
  return Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([name, member]) => [
    `${code(name)}${required.has(name) ? ' \\*' : ''}`,
    typeCell(member, named),
    oneLine(member.description ?? member.title),
  ]);
}

export const oneLine = (text: unknown): string =>
  typeof text === 'string' ? text.replace(/\s*\n\s*/g, ' ').trim() : '';
