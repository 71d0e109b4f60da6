import { isObject } from '../../../lib/json';
import type { JsonSchema } from '../../../lib/schema';

/** A text with an expression stands for any value, which is checked when a step runs. */
export const EXPRESSION = { type: 'string', pattern: '\\{\\{' } as const;

/** Keywords about a value as a whole, which is not known before its expressions are evaluated. */
const OF_WHOLE: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
]);

/** A JSON Schema of values in which texts may be expressions. */
function withExpressions(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  if (schema['x-steps'] === true) return { ...schema, items: { $ref: '#/$defs/step' } };
  const own = valuesOf(schema);
  return acceptsAnyText(schema) ? own : { anyOf: [own, { $ref: '#/$defs/expression' }] };
}

const acceptsAnyText = (schema: JsonSchema): boolean =>
  Object.keys(schema).length === 0 || Object.keys(schema).every((key) => NOTES.has(key)) || isFreeText(schema);

const NOTES: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'default']);

const isFreeText = (schema: JsonSchema): boolean =>
  (schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'))) &&
  !['enum', 'const', 'pattern', 'format', 'minLength', 'maxLength', 'anyOf', 'oneOf', 'allOf'].some(
    (key) => key in schema,
  );

/** The schema itself, with its parts converted. */
export function valuesOf(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (OF_WHOLE.has(key) || key.startsWith('x-')) return [];
      if (key === 'properties' || key === 'patternProperties') return [[key, eachOf(value)]];
      if (key === 'items' || key === 'additionalProperties') return [[key, withExpressions(value)]];
      if (key === 'prefixItems') return [[key, (value as unknown[]).map(withExpressions)]];
      // Two of several may hold for an expression.
      if (key === 'oneOf' || key === 'anyOf') return [['anyOf', (value as unknown[]).map(withExpressions)]];
      if (key === 'allOf') return [[key, (value as unknown[]).map(withExpressions)]];
      return [[key, value]];
    }),
  );
}

const eachOf = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withExpressions(member)]))
    : value;
