import fc from 'fast-check';
import type { IndexHit } from '../../../services/knowledge/index/contract';
import { fuse } from '../../../services/knowledge/search/fusion';

const hit = (documentId: string, n = 0): IndexHit => ({ documentId, revision: 1, n, score: 0.5 });
const names = (hits: readonly IndexHit[]): string[] => hits.map(({ documentId, n }) => `${documentId}${n}`);

describe('fuse', () => {
  it('puts what both lists found before what stands higher in one alone', () => {
    const fused = fuse([
      { weight: 1, hits: [hit('a'), hit('b'), hit('c')] },
      { weight: 1, hits: [hit('d'), hit('c'), hit('b')] },
    ]);
    expect(names(fused)).toEqual(['b0', 'c0', 'a0', 'd0']);
  });

  it('gives 1 to what is first everywhere, and less by weight to what only one list has', () => {
    const [first, second] = fuse([
      { weight: 3, hits: [hit('a')] },
      { weight: 1, hits: [hit('a'), hit('b')] },
    ]);
    expect(first?.score).toBe(1);
    expect(second?.score).toBeCloseTo(1 / 62 / (4 / 61), 10);
  });

  it('leaves one list in its order, whatever the other list weighs when it found nothing', () => {
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

  it('is total, keeps scores within 0 and 1 and falling, and answers the same whichever list comes first', () => {
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
