import { isObject, type JsonObject } from './document';

type ConfigKind = 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'texts' | 'map' | 'object' | 'json';

/** A control for one member of a configuration. */
export interface ConfigField {
  readonly name: string;
  readonly label: string;
  readonly hint: string | null;
  readonly kind: ConfigKind;
  readonly required: boolean;
  /** Values of a choice. */
  readonly choices: readonly unknown[];
  readonly example: string | null;
  readonly schema: JsonObject;
  /** A default of the type, for an empty control. */
  readonly fallback: string | null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const LONG_CHARS = 1_000;
const LONG_NAMES: ReadonlySet<string> = new Set([
  'source',
  'body',
  'text',
  'html',
  'prompt',
  'system',
  'message',
  'instructions',
  'query',
  'sql',
  'template',
]);

/** The controls of a schema: required ones first, then in the order of the schema. */
export function configFields(schema: unknown): ConfigField[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties).flatMap(([name, member]) =>
    isObject(member) ? [fieldOf(name, member, required.includes(name))] : [],
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

export function fieldOf(name: string, schema: JsonObject, required: boolean): ConfigField {
  const [example]: readonly unknown[] = Array.isArray(schema.examples) ? schema.examples : [];
  return {
    name,
    label: textOf(schema.title) ?? name,
    hint: textOf(schema.description),
    kind: kindOf(name, schema),
    required,
    choices: choicesOf(schema),
    example: example === undefined ? null : shortText(example),
    schema,
    fallback: schema.default === undefined ? null : shortText(schema.default),
  };
}

const shortText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function choicesOf(schema: JsonObject): readonly unknown[] {
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? [] : [schema.const];
}

function kindOf(name: string, schema: JsonObject): ConfigKind {
  if (Array.isArray(schema.enum)) return 'choice';
  switch (schema.type) {
    case 'string':
      return isLong(name, schema) ? 'long' : 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return isObject(schema.items) && schema.items.type === 'string' ? 'texts' : 'json';
    case 'object':
      if (isObject(schema.properties) && Object.keys(schema.properties).length > 0) return 'object';
      return isObject(schema.additionalProperties) ? 'map' : 'json';
    default:
      return isTextLike(schema) ? 'text' : 'json';
  }
}

const isLong = (name: string, { maxLength, enum: choices }: JsonObject): boolean =>
  choices === undefined && (LONG_NAMES.has(name) || (typeof maxLength === 'number' && maxLength > LONG_CHARS));

/** Alternatives of texts and numbers alone, such as durations and conditions. */
function isTextLike(schema: JsonObject): boolean {
  const plain: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];
  if (schema['x-expression'] === true) return true;
  if (Array.isArray(schema.type)) return schema.type.every((type) => plain.includes(type));
  return (
    Array.isArray(schema.anyOf) && schema.anyOf.every((each: unknown) => isObject(each) && plain.includes(each.type))
  );
}

/** Whether a value is written as an expression, which any control takes. */
export const isExpression = (value: unknown): value is string => typeof value === 'string' && value.includes('{{');

/** The text of a value in a control for JSON: a text as it is, unless it would be read as something else. */
export function jsonText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && parsedText(value) === value) return value;
  return JSON.stringify(value, null, 2);
}

/** What a text in such a control stands for: JSON where it is some, else the text; undefined for nothing. */
export function parsedText(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Any other text is itself.
    return text;
  }
}

/** Whether a text looks like JSON that is not finished. */
export const looksUnfinished = (text: string): boolean =>
  /^\s*(?:\[|\{(?!\{))/.test(text) && typeof parsedText(text) === 'string';

/** The value of a text for a control of durations, numbers or texts: a number stays one. */
export function plainValue(text: string, schema: JsonObject): unknown {
  if (text === '') return undefined;
  const numeric = schema.type === 'number' || schema.type === 'integer';
  const known = numeric && text.trim() !== '' && Number.isFinite(Number(text));
  if (known) return Number(text);
  if (schema.type === 'boolean' || (Array.isArray(schema.type) && schema.type.includes('boolean'))) {
    if (text === 'true' || text === 'false') return text === 'true';
  }
  return text;
}
