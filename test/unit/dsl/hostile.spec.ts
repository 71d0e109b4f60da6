import { ExpressionError } from '../../../dsl';
import type { Json } from '../../../lib/json';
import { envOf } from './support/env';
import { valueOf } from './support/env';
import { ATTACKS, type Attack } from './support/hostile';

/** Generous: what is bounded takes milliseconds even on a busy machine; what is not takes minutes. */
const SOON_MS = 3_000;

const frozen = <T extends Json>(value: T): T => {
  let left: Json[] = [value];
  while (left.length > 0) {
    for (const each of left) Object.freeze(each);
    left = left.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return value;
};

const nested = (depth: number): Json => Array.from({ length: depth }).reduce<Json>((inner) => [inner], []);

/** Data that nothing may change: a write to it throws, and what is thrown is no ExpressionError. */
const ROOTS = frozen({
  env: {
    n: 1,
    text: 'text',
    list: [1, 2, 3],
    as: 'a'.repeat(5_000),
    large: 'ab'.repeat(300_000),
    many: Array.from({ length: 50_000 }, (_, n) => n),
    deep: nested(5_000),
    brackets: '['.repeat(100_000),
  },
  steps: { a: { v: 1 } },
  trigger: { body: { id: 7 } },
  execution: { id: 'e' },
});

const BUILT_IN: readonly object[] = [
  globalThis,
  ...[Object, Function, Array, String, Number, Boolean, RegExp, Date, Map, Set, Promise, Error, Symbol].flatMap(
    (type) => [type, type.prototype as object],
  ),
  JSON,
  Math,
  Reflect,
];

/** Everything that code could have been planted in. */
const builtIns = (): string[] => BUILT_IN.map((each) => Reflect.ownKeys(each).map(String).sort().join());

const isPlain = (value: unknown): boolean => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const expected: unknown = Array.isArray(value) ? Array.prototype : Object.prototype;
  return prototype === expected && Object.values(value).every(isPlain);
};

const outcome = (source: string): Json | ExpressionError => {
  try {
    return valueOf(source, ROOTS);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
};

const title = ([source]: Attack): string =>
  JSON.stringify(source.length > 80 ? `${source.slice(0, 60)}... (${source.length} characters)` : source);

test('there are 300 and more, each once', () => {
  const sources = Object.values(ATTACKS).flatMap((attacks) => attacks.map(([source]) => source));
  expect(sources.length).toBeGreaterThanOrEqual(300);
  expect(new Set(sources).size).toBe(sources.length);
});

describe.each(Object.entries(ATTACKS))('%s', (_family, attacks) => {
  test.each(attacks.map((attack) => [title(attack), attack] as const))('%s', (_title, [source, fate]) => {
    const before = builtIns();
    const began = performance.now();
    const result = outcome(source);
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect(builtIns()).toEqual(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    if (fate === 'refused') {
      expect(result).toBeInstanceOf(ExpressionError);
      return;
    }
    expect(isPlain(result)).toBe(true);
    expect(result).toEqual(fate.value);
  });
});

test('the environment is asked for names of the language only', () => {
  const asked = new Set<string>();
  const env = envOf(
    {},
    {
      root: (name) => {
        asked.add(name);
        return undefined;
      },
    },
  );
  for (const [source] of ATTACKS['names of JavaScript'] ?? []) {
    expect(() => valueOf(source, {}, env)).toThrow(ExpressionError);
  }
  expect([...asked].sort()).toEqual(['config', 'error', 'loop', 'secret']);
});
