import fc from 'fast-check';
import { oddValue } from '../integration/security/support/odd';
import { resolved, type Schema } from './description';

const DEEPEST = 4;

/** Values that a schema accepts; some of them near its bounds. */
export function valueOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const { const: only, enum: words, anyOf, type } = resolved(schema as Schema & object);
  const rules = resolved(schema as Schema & object);
  if ('const' in rules) return fc.constant(only);
  if (Array.isArray(words)) return fc.constantFrom(...(words as unknown[]));
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((each) => valueOf(each as Schema, depth)));
  if (Array.isArray(type)) return fc.oneof(...type.map((each) => valueOf({ ...rules, type: each as string }, depth)));
  switch (type) {
    case 'string':
      return textOf(rules);
    case 'integer':
    case 'number':
      return numberOf(rules);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const {
        minItems = 0,
        maxItems = 3,
        items = {},
      } = rules as { minItems?: number; maxItems?: number; items?: Schema };
      const maxLength = Math.max(minItems, Math.min(maxItems, 3));
      return depth > DEEPEST
        ? fc.constant([])
        : fc.array(valueOf(items, depth + 1), { minLength: minItems, maxLength });
    }
    case 'object':
      return objectOf(rules, depth);
    default:
      return depth > DEEPEST ? fc.constant('any') : fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(rules: Schema, depth: number): fc.Arbitrary<unknown> {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = rules as {
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
    additionalProperties?: unknown;
  };
  const members = Object.entries(properties).map(([name, member]) => [name, valueOf(member, depth + 1)] as const);
  const named = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
  if (members.length > 0 || additionalProperties === undefined) return named;
  const free =
    typeof additionalProperties === 'object'
      ? valueOf(additionalProperties as Schema, depth + 1)
      : fc.jsonValue({ maxDepth: 1 });
  return depth > DEEPEST
    ? fc.constant({})
    : fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), free, { maxKeys: 3 });
}

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  email: fc.nat(1_000_000).map((n) => `person${n}@example.com`),
  'date-time': fc
    .date({ noInvalidDate: true, min: new Date('2020-01-01'), max: new Date('2030-01-01') })
    .map((date) => date.toISOString()),
};

function textOf(rules: Schema): fc.Arbitrary<string> {
  const {
    minLength = 0,
    maxLength = 40,
    format,
    pattern,
  } = rules as { minLength?: number; maxLength?: number; format?: string; pattern?: string };
  if (format !== undefined && FORMATS[format] !== undefined) return FORMATS[format];
  if (pattern !== undefined) return matching(pattern, minLength);
  const longest = Math.max(minLength, Math.min(maxLength, 40));
  const plain = fc.string({ minLength, maxLength: longest });
  // A text of the maximum length, up to 2,000.
  const atBound = fc.constant('y'.repeat(Math.min(maxLength, 2_000)));
  return fc.oneof({ weight: 6, arbitrary: plain }, { weight: 1, arbitrary: atBound });
}

/** Texts that match a pattern, if fast-check can generate them; it does not support lookahead. */
function matching(pattern: string, minLength: number): fc.Arbitrary<string> {
  const plain = fc.constant('x'.repeat(Math.max(1, minLength)));
  if (pattern.includes('(?')) return fc.oneof(plain, fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/));
  return fc.oneof({ weight: 3, arbitrary: fc.stringMatching(new RegExp(pattern, 'u')) }, plain);
}

function numberOf(rules: Schema): fc.Arbitrary<number> {
  const {
    minimum = -1_000_000,
    maximum = 1_000_000,
    type,
  } = rules as { minimum?: number; maximum?: number; type?: string };
  const [min, max] = [Math.max(minimum, Number.MIN_SAFE_INTEGER), Math.min(maximum, Number.MAX_SAFE_INTEGER)];
  const inside = type === 'integer' ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
  return fc.oneof({ weight: 4, arbitrary: inside }, fc.constantFrom(min, max));
}

/** Values that match no schema. */
export const anything = oddValue;
