import { SizedCache } from '../../../lib/sized-cache';

function cacheOf(most: number) {
  let now = 0;
  const cache = new SizedCache<string>({ most, ttlMs: 100, now: () => now });
  return { cache, pass: (ms: number) => void (now += ms) };
}

describe('a cache by size', () => {
  it('lets those go first that nobody has asked for longest', () => {
    const { cache } = cacheOf(10);
    cache.set('a', 'A', 4);
    cache.set('b', 'B', 4);
    cache.get('a');
    cache.set('c', 'C', 4);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A', undefined, 'C']);
    expect(cache.size).toBe(8);
  });

  it('keeps nothing that is larger than its bound, and gives up nothing for it', () => {
    const { cache } = cacheOf(10);
    cache.set('a', 'A', 4);
    cache.set('huge', 'H', 11);
    expect([cache.get('huge'), cache.get('a')]).toEqual([undefined, 'A']);
  });

  it('counts a value once that is set again', () => {
    const { cache } = cacheOf(10);
    for (let n = 0; n < 5; n += 1) cache.set('a', String(n), 4);
    expect([cache.get('a'), cache.size]).toEqual(['4', 4]);
  });

  it('forgets what is too old, however often it is asked for', () => {
    const { cache, pass } = cacheOf(10);
    cache.set('a', 'A', 4);
    pass(60);
    expect(cache.get('a')).toBe('A');
    pass(60);
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });

  it('gives up what is deleted, and nothing for what it does not have', () => {
    const { cache } = cacheOf(10);
    cache.set('a', 'A', 4);
    cache.delete('a');
    cache.delete('b');
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });
});
