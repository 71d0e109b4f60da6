import fc from 'fast-check';
import { compileTemplate, ExpressionError, render, type Template } from '../../../../dsl';
import type { Expression } from '../../../../dsl/expression/ast';
import { evaluate } from '../../../../dsl/expression/evaluate';
import { tokenize } from '../../../../dsl/expression/lexer';
import { FUNCTIONS } from '../../../../dsl/expression/functions';
import { MAX_OPERATIONS } from '../../../../dsl/expression/limits';
import { parse } from '../../../../dsl/expression/parser';
import { newEvaluation } from '../../../../dsl/expression/evaluation-state';
import type { Json } from '../../../../lib/json';
import { json, sourceLike, tree } from '../support/arbitraries';
import { envOf, valueOf } from '../support/env';
import { print, shapeOf } from '../support/print';

/** What a call gives, or the ExpressionError it throws; any other error passes on and fails the test. */
function outcome<T>(act: () => T): T | ExpressionError {
  try {
    return act();
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

const hasUndefined = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.values(value).some(hasUndefined));

test('any text is parsed or refused with an ExpressionError whose position is inside it', () => {
  fc.assert(
    fc.property(sourceLike, (source) => {
      const result = outcome(() => parse(source));
      if (result instanceof ExpressionError) {
        expect(result.position).toBeGreaterThanOrEqual(0);
        expect(result.position).toBeLessThanOrEqual(source.length);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('tokens follow each other without overlap up to the end', () => {
  fc.assert(
    fc.property(sourceLike, (source) => {
      const tokens = outcome(() => tokenize(source));
      if (tokens instanceof ExpressionError) return;
      let last = 0;
      for (const { position, end } of tokens) {
        expect(position).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThanOrEqual(position);
        last = end;
      }
      expect(last).toBe(source.length);
    }),
  );
});

test('what is parsed, printed and parsed again is the same tree', () => {
  fc.assert(
    fc.property(sourceLike, (source) => {
      const first = outcome(() => parse(source));
      if (first instanceof ExpressionError) return;
      expect(shapeOf(parse(print(first)))).toEqual(shapeOf(first));
    }),
    { numRuns: 3_000 },
  );
});

/** Writing a tree that the parser cannot make (a string that is no name, too deep) is outside the round trip. */
const printable = (made: Expression): boolean => !(outcome(() => parse(print(made))) instanceof ExpressionError);

test('a tree survives being written and read', () => {
  fc.assert(
    fc.property(tree.filter(printable), (made) => {
      const once = parse(print(made));
      expect(print(once)).toBe(print(made));
      expect(shapeOf(parse(print(once)))).toEqual(shapeOf(once));
    }),
    { numRuns: 1_000 },
  );
});

test('any tree over any data has a JSON value or an ExpressionError, within its operations', () => {
  fc.assert(
    fc.property(tree, json, json, fc.boolean(), (made, trigger, steps, lenient) => {
      const scope = { ...newEvaluation(envOf({ trigger, steps, env: { a: trigger } })), lenient };
      const result = outcome(() => evaluate(made, scope));
      expect(MAX_OPERATIONS - scope.operations).toBeGreaterThan(0);
      if (result instanceof ExpressionError) return;
      expect(hasUndefined(result)).toBe(false);
      const text = JSON.stringify(result);
      expect(JSON.parse(text)).toEqual(result);
    }),
    { numRuns: 5_000 },
  );
});

test('evaluation changes nothing that it was given', () => {
  fc.assert(
    fc.property(tree, json, (made, trigger) => {
      const before = JSON.stringify(trigger);
      outcome(() => evaluate(made, newEvaluation(envOf({ trigger, steps: { a: trigger } }))));
      expect(JSON.stringify(trigger)).toBe(before);
    }),
    { numRuns: 2_000 },
  );
});

test('evaluation is deterministic', () => {
  fc.assert(
    fc.property(tree, json, (made, trigger) => {
      const run = () => {
        const result = outcome(() => evaluate(made, newEvaluation(envOf({ trigger }))));
        return result instanceof ExpressionError ? result.message : JSON.stringify(result);
      };
      expect(run()).toBe(run());
    }),
    { numRuns: 1_000 },
  );
});

test('a path gives the very value that stands there', () => {
  fc.assert(
    fc.property(json, fc.array(fc.oneof(fc.string(), fc.nat(5)), { maxLength: 5 }), (value, keys) => {
      const holder = keys.reduceRight<Json>((inner, key) => {
        if (typeof key === 'string') return Object.fromEntries([[key, inner]]);
        return [...Array<Json>(key).fill(null), inner];
      }, value);
      const source = `env.start${keys.map((key) => `[${JSON.stringify(key)}]`).join('')}`;
      expect(valueOf(source, { env: { start: holder } })).toBe(
        keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], holder),
      );
    }),
  );
});

test('a template without braces renders to itself', () => {
  fc.assert(
    fc.property(json, (value) => {
      fc.pre(!JSON.stringify(value).includes('{{'));
      expect(render(compileTemplate(value), envOf())).toEqual(value);
    }),
  );
});

test('a template over any strings compiles and renders to JSON, or says why not', () => {
  fc.assert(
    fc.property(fc.array(sourceLike, { maxLength: 4 }), json, (texts, trigger) => {
      const template = outcome<Template>(() => compileTemplate({ texts, wrapped: texts.map((text) => `{{${text}}}`) }));
      if (template instanceof ExpressionError) return;
      const result = outcome(() => render(template, envOf({ trigger })));
      if (!(result instanceof ExpressionError)) expect(hasUndefined(result)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

/** Arguments that functions have something to do with, more often than not. */
const argument: fc.Arbitrary<Json> = fc.oneof(
  json,
  fc.array(json, { maxLength: 5 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.integer({ min: -5, max: 20 }),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0),
  fc.constantFrom<Json>(
    '2026-01-31T09:30:00Z',
    '1h',
    'd',
    'months',
    'yyyy-MM',
    'Asia/Tokyo',
    'sha256',
    'hex',
    'asc',
    'a.b',
  ),
  fc.constantFrom<Json>(
    '(a|b)*',
    '\\d+',
    '[',
    'eyJhIjoxfQ==',
    '{"a":1}',
    '%41',
    null,
    true,
    [[1], [2]],
    [{ a: 1 }, { a: 2 }],
  ),
);

test.each([...FUNCTIONS])('%s is total on any arguments that it takes', (name, { min, max }) => {
  fc.assert(
    fc.property(
      fc.array(argument, { minLength: min, maxLength: Math.min(max, 4) }),
      fc.boolean(),
      (values, lenient) => {
        const before = JSON.stringify(values);
        const args = values.map((_, index) => parse(`env[${index}]`));
        const scope = { ...newEvaluation(envOf({ env: values })), lenient };
        const result = outcome(() => evaluate({ kind: 'call', name, args, position: 0 }, scope));
        expect(JSON.stringify(values)).toBe(before);
        if (result instanceof ExpressionError) return;
        expect(hasUndefined(result)).toBe(false);
        expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      },
    ),
    { numRuns: 300 },
  );
});
