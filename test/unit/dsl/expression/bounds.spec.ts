import { compileTemplate, ExpressionError, render } from '../../../../dsl';
import type { Json } from '../../../../lib/json';
import { envOf, failureOf, valueOf } from '../support/env';

const MEGABYTE = 1024 * 1024;
const big = 'a'.repeat(600 * 1024);
const huge = 'a'.repeat(MEGABYTE);
/** Generous: what must be fast takes milliseconds; what is not bounded takes minutes. */
const SOON_MS = 3_000;

const nestedList = (depth: number): Json => {
  let value: Json = [];
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

const within = (act: () => unknown): number => {
  const start = performance.now();
  act();
  return performance.now() - start;
};

test.each([
  ['env.big + env.big'],
  ['[env.big, env.big]'],
  ['{a: env.big, b: env.big}'],
  ['upper(env.huge)'],
  ['env.huge'],
  ['json([env.big, env.big])'],
  ['join([env.big, env.big])'],
  ['join(range(1000), env.big)'],
  ['replace(env.big, "a", "bb")'],
  ['replace(slice(env.big, 0, 1000), "a", slice(env.big, 0, 2000))'],
  ['pad("a", 1048576)'],
  ['flatten([[env.big], [env.big]])'],
  ['env.deep'],
  ['string(env.deep)'],
  ['env.deep == env.deep'],
  ['hash(env.deep)'],
  ['unique([env.deep])'],
  ['env.deep in [1]  || 1 in env.deep'],
  ['parse_json(env.brackets)'],
  ['flatten(env.deep, 200) | sort'],
])('%s is refused', (source) => {
  const env = { big, huge, deep: nestedList(5_000), brackets: '['.repeat(100_000) };
  const took = within(() => {
    expect(failureOf(source, { env })).toBeInstanceOf(ExpressionError);
  });
  expect(took).toBeLessThan(SOON_MS);
});

describe('what would take long takes no longer than what it is charged for', () => {
  const env = {
    text: 'a'.repeat(500_000),
    needle: `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`,
    ligatures: '\ufdfa'.repeat(MEGABYTE - 2),
    path: 'a.'.repeat(200_000),
    items: Array.from({ length: 9_000 }, (_, a) => ({ a })),
    numbers: `[${'1,'.repeat(150_000)}1]`,
  };

  test.each<[string, Json]>([
    ['contains(env.text, env.needle)', false],
    ['env.needle in env.text', false],
    ['length(split(env.text, env.needle))', 1],
    ['length(replace(env.text, env.needle, ""))', 500_000],
    ['length(parse_json(env.numbers))', 150_001],
  ])('%s', (source, expected) => {
    const took = within(() => expect(valueOf(source, { env })).toBe(expected));
    expect(took).toBeLessThan(SOON_MS);
  });

  test.each([
    ['slug(env.ligatures)', 'more than 200000 operations'],
    ['map_field(env.items, env.path)', 'argument 2 is not a field'],
    ['sort(env.items, env.path)', 'argument 2 is not a field'],
    [`map_field(env.items, "${'a.'.repeat(100)}a")`, 'more than 200000 operations'],
    [`match("a", "${'.{1000}'.repeat(140)}")`, 'the pattern repeats too much'],
  ])('%s is refused', (source, message) => {
    const took = within(() => expect(failureOf(source, { env }).message).toContain(message));
    expect(took).toBeLessThan(SOON_MS);
  });
});

test('text around expressions counts too', () => {
  const template = compileTemplate('{{ env.big }} and {{ env.big }}');
  expect(() => render(template, envOf({ env: { big } }))).toThrow('larger than 1 MiB');
});

test('the operations of one rendering are counted, over all its expressions', () => {
  const list = Array.from({ length: 50_000 }, (_, n) => n);
  expect(valueOf('length(sort(env.list))', { env: { list } })).toBe(50_000);
  const greedy = compileTemplate(Array.from({ length: 20 }, () => '{{ length(reverse(env.list)) }}'));
  expect(() => render(greedy, envOf({ env: { list } }))).toThrow('more than 200000 operations');
});

test('a million characters pass through when they fit', () => {
  const text = 'a'.repeat(MEGABYTE - 2);
  expect(valueOf('env.text', { env: { text } })).toBe(text);
  expect(valueOf('length(env.text)', { env: { text } })).toBe(MEGABYTE - 2);
});

describe('regular expressions take time linear in the text', () => {
  test.each([
    '(a+)+b',
    '(a|a)*b',
    '(a*)*c',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?:a?){500}a{500}',
    '(.*)(.*)(.*)(.*)(.*)(.*)b',
    '(\\\\w+\\\\s?)*$',
    '([a-z]+)*[0-9]',
  ])('%s', (pattern) => {
    const env = { text: 'a'.repeat(50_000) };
    for (const name of ['match', 'extract']) {
      const took = within(() => {
        try {
          valueOf(`${name}(env.text, "${pattern}")`, { env });
        } catch (error) {
          // Too many operations is the other good answer.
          expect(error).toBeInstanceOf(ExpressionError);
        }
      });
      expect(took).toBeLessThan(SOON_MS);
    }
  });

  test('many patterns do not fill the memory: the cache is emptied', () => {
    for (let n = 0; n < 450; n++) expect(valueOf(`match("a${n}", "^a${n}$")`)).toBe(true);
  });
});

test('time zones are cached within bounds', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const names = [...zones, ...zones.map((zone) => zone.toLowerCase())];
  for (const name of names) expect(valueOf(`date("2026-01-01", "${name}")`)).toMatch(/Z$/);
});
