import fc from 'fast-check';
import { sortedInSlices } from '../../../lib/sliced-sort';
import { runAtOnce } from '../../../lib/time-slices';

interface Item {
  readonly key: number;
  readonly at: number;
}

const byKey = (a: Item, b: Item): number => a.key - b.key;

describe('a sort in slices', () => {
  it('orders as a stable sort at once does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 2_000, size: 'max' }), (keys) => {
        const items = keys.map((key, at) => ({ key, at }));
        expect(runAtOnce(sortedInSlices(items, byKey))).toEqual(items.toSorted(byKey));
      }),
      { numRuns: 50 },
    );
  });

  it('compares a bounded number of items between two yields', () => {
    let compared = 0;
    const work = sortedInSlices(
      Array.from({ length: 20_000 }, (_, at) => ({ key: (at * 7_919) % 20_011, at })),
      (a, b) => {
        compared += 1;
        return byKey(a, b);
      },
    );
    let most = 0;
    for (let before = 0; work.next().done !== true; before = compared) most = Math.max(most, compared - before);
    expect(compared).toBeGreaterThan(100_000);
    expect(most).toBeLessThan(3_000);
  });

  it('leaves the list as it is', () => {
    const items = [3, 1, 2];
    expect(runAtOnce(sortedInSlices(items, (a, b) => a - b))).toEqual([1, 2, 3]);
    expect(items).toEqual([3, 1, 2]);
    expect(runAtOnce(sortedInSlices([], () => 0))).toEqual([]);
  });
});
