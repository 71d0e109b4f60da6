import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import fc from 'fast-check';
import { compileSchema } from '../../../../lib/json-schema';
import type { Json } from '../../../../lib/json';

const NAMES = ['a', 'b', 'ab', 'c'];
const scalar = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.integer({ min: -4, max: 8 }),
  fc.constantFrom(0.5, 1.5),
  fc.constantFrom('', 'a', 'ab', 'b1', '\ud83d\ude00'),
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const type = fc.constantFrom('null', 'boolean', 'string', 'number', 'integer', 'array', 'object');
const count = fc.integer({ min: 0, max: 3 });
const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 });
const pattern = fc.constantFrom('^a', 'b$', '^\\w\\d$', '.');

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema');
  const several = fc.array(inner, { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(fc.constantFrom(...NAMES), inner, { maxKeys: 2, noNullPrototype: true });
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc
        .record(
          {
            type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
            enum: fc.uniqueArray(value, {
              minLength: 1,
              maxLength: 3,
              comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
            }),
            const: value,
            minimum: count,
            exclusiveMaximum: count,
            multipleOf: fc.constantFrom(1, 2, 0.5),
            minLength: count,
            maxLength: count,
            pattern,
            minItems: count,
            maxItems: count,
            uniqueItems: fc.boolean(),
            prefixItems: several,
            items: inner,
            contains: inner,
            minContains: count,
            maxContains: count,
            properties: byName,
            patternProperties: fc.dictionary(pattern, inner, { maxKeys: 2, noNullPrototype: true }),
            additionalProperties: inner,
            required: names,
            propertyNames: inner,
            minProperties: count,
            maxProperties: count,
            dependentRequired: fc.dictionary(fc.constantFrom(...NAMES), names, { maxKeys: 2, noNullPrototype: true }),
            dependentSchemas: byName,
            allOf: several,
            anyOf: several,
            oneOf: several,
            not: inner,
            if: inner,
            // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name
            then: inner,
            else: inner,
            $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'),
          },
          { requiredKeys: [] },
        )
        .chain((keywords) =>
          // Few words at a time: with all of them nothing is ever right.
          fc
            .subarray(Object.entries(keywords), { maxLength: 3 })
            .map((some) => Object.fromEntries(some))
            // Beside each other ajv misjudges them, see below.
            .filter((some) => !('prefixItems' in some && 'contains' in some)),
        ),
    ),
  };
});

/** Its own check of the schema, which all of these pass, takes most of the time. */
const ajv = new Ajv({ strict: false, ownProperties: true, validateSchema: false, logger: false });

const DEFS = { x: { type: ['string', 'array'] }, y: { properties: { a: { $ref: '#/$defs/y' } }, maxProperties: 1 } };

/**
 * Null where ajv has none: what it compiles of `patternProperties` beside a `oneOf` whose schemas allow further members
 * may throw (Cannot set properties of undefined) instead of judging.
 */
function verdictOf(judge: ValidateFunction, given: unknown): boolean | null {
  try {
    return judge(given);
  } catch (fault) {
    if (fault instanceof TypeError && fault.message.startsWith('Cannot set properties of undefined')) return null;
    throw fault;
  }
}

test('validates every value as another implementation does', () => {
  const verdicts = { right: 0, wrong: 0 };
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 8 }), (body, values) => {
      const whole = typeof body === 'object' ? { ...(body as object), $defs: DEFS } : body;
      const judge = ajv.compile(whole as object);
      const compiled = compileSchema(whole);
      if (compiled.kind === 'refused') throw new Error(JSON.stringify(compiled.faults));
      for (const each of values) {
        const expected = verdictOf(judge, each);
        if (expected === null) return;
        expect({ each, right: compiled.check(each).length === 0 }).toEqual({ each, right: expected });
        verdicts[expected ? 'right' : 'wrong'] += 1;
      }
    }),
    { numRuns: 600 },
  );
  expect(Math.min(verdicts.right, verdicts.wrong)).toBeGreaterThan(250);
}, 120_000);

/** ajv takes an empty list for one that contains something as soon as `prefixItems` says anything: these are by hand. */
test.each([
  [{ prefixItems: [false], contains: { type: 'integer' } }, [], false],
  [{ prefixItems: [{ type: 'string' }], contains: { type: 'integer' } }, [], false],
  [{ prefixItems: [{ type: 'string' }], contains: { type: 'integer' } }, ['a'], false],
  [{ prefixItems: [{ type: 'string' }], contains: { type: 'integer' } }, ['a', 1], true],
  [{ prefixItems: [{ type: 'integer' }], contains: { type: 'integer' } }, [1], true],
  [{ prefixItems: [false], contains: { type: 'integer' } }, [1], false],
  [{ prefixItems: [{ type: 'string' }], contains: true, minContains: 0 }, [], true],
])('a list that must contain something: %j of %j is %s', (body, given, right) => {
  const compiled = compileSchema(body as Json);
  if (compiled.kind === 'refused') throw new Error(JSON.stringify(compiled.faults));
  expect(compiled.check(given).length === 0).toBe(right);
});
