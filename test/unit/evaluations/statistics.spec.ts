import {
  bootstrapInterval,
  mcNemarExact,
  normalCdf,
  seededRandom,
  wilcoxonSignedRank,
} from '../../../services/evaluations/rules/statistics';

describe("McNemar's exact test", () => {
  test.each([
    [0, 0, 1],
    [10, 0, 2 / 1_024],
    // binom.test(2, 10) of R.
    [2, 8, 0.109375],
    [8, 2, 0.109375],
    [5, 5, 1],
    // binom.test(40, 100) of R.
    [40, 60, 0.05688793],
  ])('of %d and %d changes is %d', (b, c, p) => expect(mcNemarExact(b, c)).toBeCloseTo(p, 7));

  test('is a number for ten thousand pairs', () => {
    expect(mcNemarExact(5_000, 5_000)).toBe(1);
    expect(mcNemarExact(0, 10_000)).toBe(0);
  });
});

describe('the Wilcoxon signed-rank test', () => {
  test('is exact for few differences without ties: the example of wilcox.test of R', () => {
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    expect(wilcoxonSignedRank(before.map((x, n) => x - (after[n] as number)))).toBeCloseTo(0.0390625, 10);
  });

  test('is exact for the heights of plants of the documentation of SciPy', () => {
    const differences = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
    expect(wilcoxonSignedRank(differences)).toBeCloseTo(0.041259765625, 10);
    expect(wilcoxonSignedRank(differences.map((x) => -x))).toBeCloseTo(0.041259765625, 10);
  });

  // By hand: V = 27.5, mean 18, variance 51 - 84 / 48, z = 9 / 7.0178.
  test('is approximate with ties, and leaves out zeros', () =>
    expect(wilcoxonSignedRank([1, 1, 0, 2, -1, 3, 2, 1, -2, 0])).toBeCloseTo(0.1997, 3));

  test('is 1 without differences', () => expect(wilcoxonSignedRank([0, 0])).toBe(1));
});

test.each([
  [0, 0.5],
  [1.959964, 0.975],
  [-1.959964, 0.025],
  [3, 0.9986501],
])('the normal distribution at %d is %d', (x, p) => expect(normalCdf(x)).toBeCloseTo(p, 6));

test('the generator has the sequence of mulberry32', () => {
  const random = seededRandom(1);
  expect([random(), random(), random()]).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
});

describe('the bootstrap interval', () => {
  test('of equal differences is that difference', () =>
    expect(bootstrapInterval([0.25, 0.25, 0.25], 200, seededRandom(7))).toEqual({ low: 0.25, high: 0.25 }));

  test('holds the mean, and is near the normal interval for many values', () => {
    const random = seededRandom(3);
    const values = Array.from({ length: 2_000 }, () => random());
    const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
    const half = (1.96 * Math.sqrt(1 / 12)) / Math.sqrt(2_000);
    const { low, high } = bootstrapInterval(values, 2_000, seededRandom(5));
    expect(low).toBeGreaterThan(mean - half * 1.15);
    expect(low).toBeLessThan(mean - half * 0.85);
    expect(high).toBeGreaterThan(mean + half * 0.85);
    expect(high).toBeLessThan(mean + half * 1.15);
  });

  test('is the same for the same seed', () =>
    expect(bootstrapInterval([0, 1, 0, 1, 1], 300, seededRandom(9))).toEqual(
      bootstrapInterval([0, 1, 0, 1, 1], 300, seededRandom(9)),
    ));

  test('of nothing is 0', () => expect(bootstrapInterval([], 10, seededRandom(1))).toEqual({ low: 0, high: 0 }));
});
