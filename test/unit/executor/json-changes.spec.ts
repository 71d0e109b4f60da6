import fc from 'fast-check';
import type { Json } from '../../../lib/json';
import { runAtOnce } from '../../../lib/time-slices';
import { changesOf } from '../../../services/executor/comparison/json-changes';

const changes = (a: Json | undefined, b: Json | undefined, max = 100) => runAtOnce(changesOf(a, b, max));
const paths = (a: Json | undefined, b: Json | undefined): string[] => changes(a, b).changes.map(({ path }) => path);

it('finds changed, added and removed members and items at their paths', () => {
  const a = { same: 1, price: 2, gone: null, items: [{ n: 1 }, { n: 2 }, { n: 3 }], 'a b': { 'c.d': 1 } };
  const b = { price: 3, same: 1, items: [{ n: 1 }, { n: 9 }], 'a b': { 'c.d': 2 }, more: [] };
  expect(changes(a, b)).toEqual({
    more: false,
    changes: [
      { path: 'price', a: 2, b: 3, cut: false },
      { path: 'gone', a: null, cut: false },
      { path: 'items[1].n', a: 2, b: 9, cut: false },
      { path: 'items[2]', a: { n: 3 }, cut: false },
      { path: '["a b"]["c.d"]', a: 1, b: 2, cut: false },
      { path: 'more', b: [], cut: false },
    ],
  });
});

it('takes values of different kinds, and absent ones, as one change', () => {
  expect(changes({ v: [] }, { v: {} }).changes).toEqual([{ path: 'v', a: [], b: {}, cut: false }]);
  expect(changes({ v: 1 }, { v: '1' }).changes).toEqual([{ path: 'v', a: 1, b: '1', cut: false }]);
  expect(changes(undefined, { v: 1 }).changes).toEqual([{ path: '', b: { v: 1 }, cut: false }]);
  expect(changes(undefined, undefined)).toEqual({ changes: [], more: false });
});

it('says that there are more changes than were asked for, and nothing more when there are just as many', () => {
  const [a, b] = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  expect(changes(a, b, 2)).toMatchObject({ more: true, changes: [{ path: '[0]' }, { path: '[1]' }] });
  expect(changes(a, b, 3).more).toBe(false);
  expect(changes(a, b, 0)).toEqual({ changes: [], more: true });
});

it('cuts long values, keys and paths', () => {
  const { changes: found } = changes({ v: 'x'.repeat(10_000) }, { v: 'y'.repeat(10_000) });
  expect(found[0]?.cut).toBe(true);
  expect(JSON.stringify(found).length).toBeLessThan(1_000);
  const deep = (leaf: Json): Json => Array.from({ length: 2_000 }).reduce<Json>((inner) => ({ member: inner }), leaf);
  const [change] = changes(deep(1), deep(2)).changes;
  expect(change).toMatchObject({ a: 1, b: 2 });
  expect(change?.path.length).toBeLessThanOrEqual(500);
  expect(paths({ ['k'.repeat(5_000)]: 1 }, {})[0]?.length).toBeLessThan(200);
});

it('looks at own members alone', () => {
  const odd = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}') as Json;
  expect(paths(odd, {})).toEqual(['__proto__', 'constructor']);
  expect(paths({}, odd)).toEqual(['__proto__', 'constructor']);
  expect(paths(odd, structuredClone(odd))).toEqual([]);
});

it('yields between members, so that long lists can be compared in slices', () => {
  const list = Array.from({ length: 10_000 }, (_, n) => n);
  let yields = 0;
  const work = changesOf(list, [...list], 10);
  while (work.next().done !== true) yields += 1;
  expect(yields).toBeGreaterThanOrEqual(10_000);
});

it('finds no change exactly where two values are the same, whatever the order of their members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const copy = JSON.parse(JSON.stringify(a)) as Json;
      expect(changes(JSON.parse(JSON.stringify(a)) as Json, reversed(copy)).changes).toEqual([]);
      const [one, two] = [JSON.stringify(sorted(a as Json)), JSON.stringify(sorted(b as Json))];
      expect(changes(JSON.parse(one) as Json, JSON.parse(two) as Json).changes.length === 0).toBe(one === two);
    }),
  );
});

const mapped = (value: Json, order: (keys: string[]) => string[]): Json => {
  if (Array.isArray(value)) return value.map((item) => mapped(item, order));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(order(Object.keys(value)).map((key) => [key, mapped(value[key] as Json, order)]));
};
const reversed = (value: Json): Json => mapped(value, (keys) => keys.reverse());
const sorted = (value: Json): Json => mapped(value, (keys) => keys.sort());
