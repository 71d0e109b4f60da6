import type { JsonSchema } from '../contract';

const example = (value: unknown): JsonSchema => (value === undefined ? {} : { examples: [value] });

/** A text. */
export const text = (title: string, description: string, sample?: string, further: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  title,
  description,
  ...example(sample),
  ...further,
});

/** A whole number. */
export const integer = (title: string, description: string, sample?: number, further: JsonSchema = {}): JsonSchema => ({
  type: 'integer',
  title,
  description,
  ...example(sample),
  ...further,
});

/** Any number. */
export const number = (title: string, description: string, sample?: number, further: JsonSchema = {}): JsonSchema => ({
  type: 'number',
  title,
  description,
  ...example(sample),
  ...further,
});

/** True or false. */
export const flag = (title: string, description: string, further: JsonSchema = {}): JsonSchema => ({
  type: 'boolean',
  title,
  description,
  ...further,
});

/** One of these words. */
export const choice = (
  values: readonly string[],
  title: string,
  description: string,
  further: JsonSchema = {},
): JsonSchema => ({ type: 'string', enum: values, title, description, ...further });

/** A list. */
export const list = (
  items: JsonSchema,
  title: string,
  description: string,
  sample?: readonly unknown[],
  further: JsonSchema = {},
): JsonSchema => ({ type: 'array', items, title, description, ...example(sample), ...further });

/** An object with these members, and others where it is `open`. */
export const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  title: string,
  description: string,
  { required = [], open = false, sample }: { required?: readonly string[]; open?: boolean; sample?: unknown } = {},
): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: open,
  title,
  description,
  ...example(sample),
});

/** An object with unknown members. */
export const record = (
  title: string,
  description: string,
  sample?: Readonly<Record<string, unknown>>,
  values: JsonSchema = {},
): JsonSchema => ({ type: 'object', additionalProperties: values, title, description, ...example(sample) });

/** Any JSON value. */
export const anything = (title: string, description: string, sample?: unknown): JsonSchema => ({
  title,
  description,
  ...example(sample),
});

/** A text or a number: how providers write ids. */
export const idOf = (title: string, description: string, sample?: string | number): JsonSchema => ({
  anyOf: [{ type: 'string' }, { type: 'number' }],
  title,
  description,
  ...example(sample),
});

/** What an action gives: these members, and whatever else the provider has added by now. */
export const outputOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({ type: 'object', properties, required, additionalProperties: true });
