import { compileCondition, compileTemplate, ExpressionError, render, templateRefs, truthy } from '../../../dsl';
import { hasExpression } from '../../../dsl/interpolation';
import type { Json } from '../../../lib/json';
import { envOf } from './support/env';

const trigger = { n: 5, text: 'x', list: [1, 'a'], object: { k: true }, none: null };
const rendered = (template: Json): Json => render(compileTemplate(template), envOf({ trigger }));

test.each<[Json, Json]>([
  ['{{ trigger.n }}', 5],
  ['{{trigger.list}}', [1, 'a']],
  ['{{ trigger.none }}', null],
  [' {{ trigger.n }}', ' 5'],
  ['n={{ trigger.n }}!', 'n=5!'],
  ['{{ trigger.n }}{{ trigger.text }}', '5x'],
  ['{{ trigger.list }} {{ trigger.object }} {{ trigger.none }} {{ true }}', '[1,"a"] {"k":true}  true'],
  ['', ''],
  ['plain }} text', 'plain }} text'],
  ['{ {', '{ {'],
  [7, 7],
  [null, null],
  [false, false],
  [
    { a: ['{{ trigger.n }}', 'b'], c: { d: '{{ trigger.text }}' }, e: 1 },
    { a: [5, 'b'], c: { d: 'x' }, e: 1 },
  ],
  [{ '{{ trigger.n }}': 1 }, { '{{ trigger.n }}': 1 }],
  ['{{ {a: {b: 1}} }}', { a: { b: 1 } }],
  ['{{{a: 1}}}', { a: 1 }],
  ['{{ "}}" }}', '}}'],
  ["{{ '}}\\'}}' }}.", "}}'}}."],
])('%j renders to %j', (template, expected) => {
  expect(rendered(template)).toEqual(expected);
});

describe('literal braces', () => {
  test.each([
    ['\\{{ name }}', '{{ name }}'],
    ['a \\{{ b \\{{ c', 'a {{ b {{ c'],
    ['\\{{ a }} {{ trigger.n }}', '{{ a }} 5'],
    ['\\\\{{ trigger.n }}', '\\5'],
    ['C:\\dir\\\\{{ trigger.text }}', 'C:\\dir\\x'],
    ['\\{{{{ trigger.n }}', '{{5'],
    ['back\\slash', 'back\\slash'],
  ])('%s renders to %s', (template, expected) => {
    expect(rendered(template)).toBe(expected);
  });

  test('show whether a string contains an expression', () => {
    expect(['{{ a }}', 'x{{', '\\\\{{ a }}', '\\{{ a }} {{ b }}'].every(hasExpression)).toBe(true);
    expect(['', 'a', '{ {', '\\{{ a }}', '}}'].some(hasExpression)).toBe(false);
  });
});

describe('what cannot be compiled', () => {
  test.each([
    ['{{ trigger.n', 'the braces {{ are never closed', 0],
    ['abc {{ { }}', 'the braces {{ are never closed', 4],
    ['{{ "a }}', 'a text inside {{ has no closing quote', 0],
    ['{{ }}', 'the expression is empty', 1],
    ['{{ 1 + }}', 'the expression ends too early', 5],
  ])('%s: %s', (template, message, position) => {
    expect(() => compileTemplate([template])).toThrow(message);
    expect(() => compileTemplate([template])).toThrow(expect.objectContaining({ position }) as Error);
    expect(() => compileTemplate(template)).toThrow(ExpressionError);
  });
});

test('an error while rendering carries the expression that it is in', () => {
  const template = compileTemplate({ a: '{{ trigger.n }}', b: 'x {{ trigger.nn }}' });
  expect(() => render(template, envOf({ trigger }))).toThrow(
    expect.objectContaining({ source: ' trigger.nn ', position: 1 }) as Error,
  );
});

describe('conditions', () => {
  test.each<[string | boolean, boolean]>([
    [true, true],
    [false, false],
    ['{{ trigger.n > 4 }}', true],
    ['{{ trigger.missing.deeper }}', false],
    ['{{ steps.fetch.status == 200 }}', false],
  ])('%s: %s', (condition, expected) => {
    expect(truthy(render(compileCondition(condition), envOf({ trigger })))).toBe(expected);
  });
});

describe('references', () => {
  test('roots, steps and secrets are found wherever they stand', () => {
    const template = compileTemplate({
      a: '{{ steps.one.x + steps["two"].y }} {{ secret.KEY }}',
      b: ['{{ upper(trigger[steps.three.k]) | default(secret["OTHER"]) }}'],
      c: '{{ env.a ? [vars.b] : {k: -steps.one.z} }}',
      d: '{{ {a: steps.four}.a[steps.five] ?? !true }}',
      e: 'plain',
    });
    expect(templateRefs(template)).toEqual({
      roots: ['env', 'secret', 'steps', 'trigger', 'vars'],
      steps: ['five', 'four', 'one', 'three', 'two'],
      secrets: ['KEY', 'OTHER'],
      usesSecret: true,
    });
  });

  test('one that is made at run time shows as its root alone', () => {
    const template = compileTemplate('{{ steps[trigger.id].x }} {{ secret }} {{ steps[0] }}');
    expect(templateRefs(template)).toEqual({
      roots: ['secret', 'steps', 'trigger'],
      steps: [],
      secrets: [],
      usesSecret: true,
    });
  });

  test('constants have none', () => {
    expect(templateRefs(compileTemplate({ a: 1 }))).toEqual({ roots: [], steps: [], secrets: [], usesSecret: false });
  });
});
