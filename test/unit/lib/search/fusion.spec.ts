import fc from 'fast-check';
import type { IndexHit } from '../../../../lib/search/contract';
import { fuse, rankIn } from '../../../../lib/search/fusion';

const hit = (documentId: string, n = 0): IndexHit => ({ documentId, revision: 1, n, score: 0.5 });
const names = (hits: readonly IndexHit[]): string[] => hits.map(({ documentId, n }) => `${documentId}${n}`);

describe('fuse', () => {
  it('ranks hits of both lists above higher ones of a single list', () => {
    const fused = fuse([
      { weight: 1, hits: [hit('a'), hit('b'), hit('c')] },
      { weight: 1, hits: [hit('d'), hit('c'), hit('b')] },
    ]);
    expect(names(fused)).toEqual(['b0', 'c0', 'a0', 'd0']);
  });

  it('scores 1 for the first of all lists, and less by weight for hits of one list', () => {
    const [first, second] = fuse([
      { weight: 3, hits: [hit('a')] },
      { weight: 1, hits: [hit('a'), hit('b')] },
    ]);
    expect(first?.score).toBe(1);
    expect(second?.score).toBeCloseTo(1 / 62 / (4 / 61), 10);
  });

  it('keeps the order of one list if the other one is empty, for any weights', () => {
    const hits = ['q', 'b', 'z', 'a'].map((name) => hit(name));
    expect(
      names(
        fuse([
          { weight: 1, hits },
          { weight: 5, hits: [] },
        ]),
      ),
    ).toEqual(names(hits));
    expect(fuse([])).toEqual([]);
  });

  it('returns all hits with falling scores within 0 and 1, for any order of the lists', () => {
    const list = fc.record({
      weight: fc.double({ min: 0.01, max: 10, noNaN: true }),
      hits: fc
        .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'ä', '__proto__'), fc.nat(20)), {
          selector: ([id, n]) => `${id}${n}`,
        })
        .map((found) => found.map(([id, n]) => hit(id, n))),
    });
    fc.assert(
      fc.property(list, list, (one, other) => {
        const fused = fuse([one, other]);
        expect(new Set(names(fused)).size).toBe(fused.length);
        expect(new Set(names(fused))).toEqual(new Set(names([...one.hits, ...other.hits])));
        fused.forEach(({ score }, at) => {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(fused[at - 1]?.score ?? 1);
        });
        expect(fuse([other, one]).map(({ score }) => score.toFixed(9))).toEqual(
          fused.map(({ score }) => score.toFixed(9)),
        );
      }),
    );
  });
});

it('explains a score by the ranks in the lists, whose parts add up to it', () => {
  const lists = [
    { weight: 1, hits: [hit('a'), hit('b')] },
    { weight: 0.2, hits: [hit('b')] },
  ];
  const [first] = fuse(lists);
  const [words, vectors] = lists.map((list) => rankIn(list, lists, hit('b')));
  expect([words, vectors]).toMatchObject([
    { rank: 2, score: 0.5 },
    { rank: 1, score: 0.5 },
  ]);
  expect(first).toMatchObject({ documentId: 'b' });
  expect((words?.adds ?? 0) + (vectors?.adds ?? 0)).toBeCloseTo(first?.score ?? 0, 10);
  expect(lists[1] && rankIn(lists[1], lists, hit('a'))).toBeNull();
});
