import type { JsonSchema } from './contract';

const DURATION_PATTERN = '^\\s*(?:(?:\\d+(?:\\.\\d+)?(?:ms|[smhdw]))+|\\d+(?:\\.\\d+)?)\\s*$';

/** A duration such as `1h30m`, or a number of seconds. */
export const durationSchema = (title: string, description: string, example: string): JsonSchema => ({
  title,
  description: `${description} As 500ms, 30s, 1h30m, 7d, or a number of seconds.`,
  anyOf: [
    { type: 'string', pattern: DURATION_PATTERN },
    { type: 'number', minimum: 0 },
  ],
  examples: [example],
});

const SCALARS: JsonSchema[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }];

/** Text, number, true or false, or null for "leave it out": the value of a header. */
export const SCALAR: JsonSchema = { anyOf: SCALARS };

/** The same, or several of them: the value of a query parameter or a form field. */
export const SCALARS_OR_LIST: JsonSchema = { anyOf: [...SCALARS, { type: 'array', items: SCALAR }] };

/** An object with these members and no others. */
export const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
  further: JsonSchema = {},
): JsonSchema => ({ type: 'object', properties, required, additionalProperties: false, ...further });

const has = (key: string): JsonSchema => ({ type: 'object', properties: { [key]: true }, required: [key] });

/** Exactly one of the keys is required. */
export const exactlyOneOf = (...keys: string[]): JsonSchema => ({ oneOf: keys.map(has) });

/** At most one of the keys is allowed. */
export const atMostOneOf = (...keys: string[]): JsonSchema => ({
  oneOf: [...keys.map(has), { not: { anyOf: keys.map(has) } }],
});

/** The keys that are required when `key` has a value: `{parse: ['text']}`. */
export const requiredWhen = (key: string, needs: Readonly<Record<string, readonly string[]>>): JsonSchema => ({
  allOf: Object.entries(needs).map(([value, names]) => ({
    if: { type: 'object', properties: { [key]: { const: value } }, required: [key] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, true])), required: names },
  })),
});
