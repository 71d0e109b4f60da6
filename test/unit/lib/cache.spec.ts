import { Cache } from '../../../lib/cache';

let now = 0;
const cacheOf = (max: number) => new Cache<object>({ max, ttlMs: 1_000, now: () => now });

beforeEach(() => {
  now = 0;
});

test('a value is good for its time, and the oldest leaves when there are too many', () => {
  const cache = cacheOf(2);
  const [a, b, c] = [{}, {}, {}];
  cache.set('a', a);
  cache.set('b', b);
  cache.set('a', a);
  cache.set('c', c);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([a, undefined, c]);
  now = 1_000;
  expect(cache.get('a')).toBeUndefined();
});

test('what is too old is let go at the next change, whether its place is needed or not', () => {
  const cache = cacheOf(1_000);
  cache.set('old', {});
  cache.set('older than the third', {});
  now = 500;
  cache.set('young', {});
  now = 1_400;
  cache.set('new', {});
  expect(cache.size).toBe(2);
});
