import { isObject, type Json } from '../../../lib/json';
import type { JsonSchema } from '../../../nodes/contract';
import { listOf, type Source, textOf } from './source';

const MAX_DEPTH = 8;
const MAX_PROPERTIES = 200;
const MAX_VALUES = 200;
const MAX_ALTERNATIVES = 10;
const MAX_PARTS = 100;

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Numeric keywords, which are copied. Patterns are omitted: they may be invalid or slow. */
const BOUNDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

/**
 * Converts an untrusted schema to a small one: references inlined, cycles and depth cut, and of its keywords those
 * that say what a value looks like. What cannot be taken over allows anything.
 */
export function simplified(
  given: unknown,
  source: Source,
  depth = 0,
  open: ReadonlySet<unknown> = new Set(),
): JsonSchema {
  const schema = source.look() ? source.resolve(given) : null;
  if (schema === null || open.has(schema)) return {};
  if (depth > MAX_DEPTH) return described(schema);
  const inner = (value: unknown): JsonSchema => simplified(value, source, depth + 1, new Set([...open, schema]));
  const all = source.list(schema.allOf).slice(0, MAX_PARTS);
  if (all.length > 0) return { ...merged([...all, withoutAllOf(schema, source)].map(inner)), ...described(schema) };
  const forms = [...source.list(schema.oneOf), ...source.list(schema.anyOf)];
  return {
    ...described(schema),
    ...typeIn(schema),
    ...valuesIn(schema),
    ...boundsIn(schema),
    ...propertiesIn(schema, source, inner),
    ...(schema.items === undefined ? {} : { items: inner(schema.items) }),
    ...(forms.length === 0 || forms.length > MAX_ALTERNATIVES
      ? {}
      : { anyOf: [...forms.map(inner), ...nullIn(schema)] }),
  };
}

const withoutAllOf = (schema: Record<string, unknown>, source: Source): Record<string, unknown> =>
  Object.fromEntries(source.members(schema).filter(([word]) => word !== 'allOf'));

const nullIn = ({ nullable }: Record<string, unknown>): JsonSchema[] => (nullable === true ? [{ type: 'null' }] : []);

function described(schema: Record<string, unknown>): JsonSchema {
  const [title, description] = [textOf(schema.title, 200), textOf(schema.description)];
  const [listed] = listOf(schema.examples);
  const example = scalarOf(schema.example ?? listed);
  return {
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
    ...(scalarOf(schema.default) === undefined ? {} : { default: scalarOf(schema.default) }),
  };
}

function typeIn({ type, nullable, oneOf, anyOf }: Record<string, unknown>): JsonSchema {
  // With alternatives, each has its own.
  if (oneOf !== undefined || anyOf !== undefined) return {};
  const types = (Array.isArray(type) ? type.slice(0, TYPES.size) : [type]).filter((word) => TYPES.has(word));
  if (types.length === 0) return {};
  if (nullable === true && !types.includes('null')) types.push('null');
  return { type: types.length === 1 ? types[0] : [...new Set(types)] };
}

function valuesIn(schema: Record<string, unknown>): JsonSchema {
  const values = listOf(schema.enum);
  if (values.length > MAX_VALUES) return {};
  const scalars = values.flatMap((value) => {
    const scalar = value === null ? null : scalarOf(value);
    return scalar === undefined ? [] : [scalar];
  });
  if (scalars.length === 0 || scalars.length !== values.length) return {};
  const unique = [...new Set(scalars)];
  return { enum: schema.nullable === true && !unique.includes(null) ? [...unique, null] : unique };
}

const boundsIn = (schema: Record<string, unknown>): JsonSchema =>
  Object.fromEntries(
    BOUNDS.flatMap((word) => {
      const value = schema[word];
      const isCount = word.startsWith('min') || word.startsWith('max');
      const counts = /Length|Items|Properties/.test(word) && isCount;
      if (typeof value !== 'number' || !Number.isFinite(value)) return [];
      if (counts && (!Number.isSafeInteger(value) || value < 0)) return [];
      return word === 'multipleOf' && value <= 0 ? [] : [[word, value]];
    }),
  );

function propertiesIn(
  schema: Record<string, unknown>,
  source: Source,
  inner: (value: unknown) => JsonSchema,
): JsonSchema {
  // Read-only members are not part of a request.
  const entries = source.members(schema.properties).filter(([, value]) => !isObject(value) || value.readOnly !== true);
  if (entries.length === 0 || entries.length > MAX_PROPERTIES) return {};
  const properties = Object.fromEntries(entries.map(([name, value]) => [name, inner(value)]));
  const required = source
    .list(schema.required)
    .filter((name): name is string => typeof name === 'string' && Object.hasOwn(properties, name));
  return {
    properties,
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(schema.additionalProperties === false ? { additionalProperties: false } : {}),
  };
}

/** Schemas that all hold of one value: objects with the members of all of them. */
function merged(schemas: readonly JsonSchema[]): JsonSchema {
  const parts = schemas.filter(({ properties }) => isObject(properties));
  if (parts.length === 0) return Object.assign({}, ...schemas) as JsonSchema;
  const required = parts.flatMap((part) => listOf(part.required));
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as JsonSchema,
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

function scalarOf(value: unknown): Json | undefined {
  if (typeof value === 'string') return value.length <= 500 ? value : undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
