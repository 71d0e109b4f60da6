import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ShortLivedMap } from '../../../lib/short-lived-map';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

describe('a map of short-lived values', () => {
  it('returns the values that were set last, and none of those that were deleted', () => {
    const map = new ShortLivedMap<string, number>();
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);

    expect(map.delete('b')).toBe(true);
    expect(map.delete('b')).toBe(false);

    expect([map.get('a'), map.get('b'), map.has('b'), map.size]).toEqual([3, undefined, false, 1]);
    expect([...map.values()]).toEqual([3]);
  });

  it('leaves out values that are deleted while it is iterated', () => {
    const map = new ShortLivedMap<string, number>();
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      map.set(key, value);

    const seen: number[] = [];
    for (const value of map.values()) {
      seen.push(value);
      map.delete('b');
    }

    expect(seen).toEqual([1, 3]);
  });

  it('releases deleted values to collections of the young generation, which a plain Map does not', () => {
    const [released, retained] = [heapGrowth(new ShortLivedMap()), heapGrowth(new Map())];

    expect(retained).toBeGreaterThan(5 * MIB);
    expect(released).toBeLessThan(retained / 4);
  });
});

const MIB = 1024 * 1024;

/** Bytes that are not freed by collections of the young generation, of 20 MiB that were set and soon deleted. */
function heapGrowth(map: { set(key: number, value: object): unknown; delete(key: number): boolean }): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 20_000; n += 1) {
    map.set(n, new Array(128).fill(n));
    map.delete(n - 16);
    // Promotes what is in the map, as under load.
    if (n % 500 === 0) for (let k = 0; k < 3; k += 1) collectGarbage({ type: 'minor' });
  }
  return process.memoryUsage().heapUsed - before;
}
