import { until } from '../../support/until';
import { createCache, createGroupCache } from '../../../lib/cache';

let now: number;

beforeEach(() => {
  now = 1;
});

describe('a cache', () => {
  const cacheOf = (max: number) => createCache<object>({ max, ttlMs: 1_000, now: () => now });

  it('returns a value until its expiry, and evicts the least recently used one', () => {
    const cache = cacheOf(2);
    const [a, b, c] = [{}, {}, {}];
    cache.set('a', a);
    cache.set('b', b);
    cache.set('a', a);
    cache.set('c', c);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([a, undefined, c]);
    now += 999;
    expect(cache.get('a')).toBe(a);
    now += 1;
    expect(cache.get('a')).toBeUndefined();
  });

  it.each([1, 2, 3])('expires a value after %d ms, and no earlier', (ttlMs) => {
    now = 0;
    const cache = createCache<string>({ max: 10, ttlMs, now: () => now });
    cache.set('a', 'A');
    now = ttlMs - 1;
    expect(cache.get('a')).toBe('A');
    now = ttlMs;
    expect(cache.get('a')).toBeUndefined();
  });

  it('frees an expired value that is not read', async () => {
    const cache = createCache<object>({ max: 10, ttlMs: 20, now: () => Date.now() });
    cache.set('a', {});
    await until('the value is freed', () => cache.size === 0);
  });

  it('accepts a lifetime over the maximum of timers', () => {
    const cache = createCache<string>({ max: 10, ttlMs: 30 * 86_400_000, now: () => now });
    cache.set('a', 'A');
    now += 30 * 86_400_000 - 1;
    expect(cache.get('a')).toBe('A');
  });
});

describe('a cache by size', () => {
  const cacheOf = (maxSize: number) => createCache<string>({ maxSize, ttlMs: 100, now: () => now });

  it('evicts the least recently used values', () => {
    const cache = cacheOf(10);
    cache.set('a', 'A', { size: 4 });
    cache.set('b', 'B', { size: 4 });
    cache.get('a');
    cache.set('c', 'C', { size: 4 });
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A', undefined, 'C']);
    expect(cache.calculatedSize).toBe(8);
  });

  it('does not store a value over its limit, and evicts none for it', () => {
    const cache = cacheOf(10);
    cache.set('a', 'A', { size: 4 });
    cache.set('huge', 'H', { size: 11 });
    expect([cache.get('huge'), cache.get('a')]).toEqual([undefined, 'A']);
  });

  it('counts a replaced value once', () => {
    const cache = cacheOf(10);
    for (let n = 0; n < 5; n += 1) cache.set('a', String(n), { size: 4 });
    expect([cache.get('a'), cache.calculatedSize]).toEqual(['4', 4]);
  });

  it('expires a value however often it is used', () => {
    const cache = cacheOf(10);
    cache.set('a', 'A', { size: 4 });
    now += 60;
    expect(cache.get('a')).toBe('A');
    now += 60;
    expect([cache.get('a'), cache.calculatedSize]).toEqual([undefined, 0]);
  });
});

test('a deleted group does not store values that were read before', () => {
  const groups = createGroupCache<string>({ max: 10, ttlMs: 100, now: () => now });
  const before = groups.memo('tenant');
  groups.delete('tenant');
  before.set('secret', 'old');
  expect(groups.memo('tenant').get('secret')).toBeUndefined();
  groups.memo('tenant').set('secret', 'new');
  expect(groups.memo('tenant').get('secret')).toBe('new');
  now += 100;
  expect(groups.memo('tenant').size).toBe(0);
});
