/** Tests of paired samples, and the functions that they need. Pure; chance is an argument. */

/**
 * P value of McNemar's exact test, two-sided: of the pairs that differ, `b` changed one way and `c` the other. Under the
 * hypothesis that both ways are as likely, the smaller count is binomial with p = 1/2; the value is twice its lower tail, at
 * most 1. Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
 * Psychometrika 12 (1947); the exact form in A. Agresti, "Categorical Data Analysis", 3rd ed., section 11.1.
 */
export function mcNemarExact(b: number, c: number): number {
  const n = b + c;
  const least = Math.min(b, c);
  // In logarithms: 2^-n is not a double above n = 1074.
  let log = -n * Math.LN2;
  let tail = Math.exp(log);
  for (let k = 1; k <= least; k += 1) {
    log += Math.log((n - k + 1) / k);
    tail += Math.exp(log);
  }
  return Math.min(1, 2 * tail);
}

/** Most differences for which the Wilcoxon test is exact. */
const MAX_EXACT = 25;

/**
 * P value of the Wilcoxon signed-rank test, two-sided. Differences of 0 are left out, ties get the mean of their ranks. Exact
 * by counting all signs for up to 25 differences without ties, else by the normal approximation with corrections for ties
 * and continuity. Source: F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945);
 * M. Hollander, D. Wolfe, E. Chicken, "Nonparametric Statistical Methods", 3rd ed., section 3.1. As `wilcox.test` of R.
 */
export function wilcoxonSignedRank(differences: readonly number[]): number {
  const kept = differences.filter((each) => each !== 0);
  const n = kept.length;
  if (n === 0) return 1;
  const { ranks, ties } = ranksOf(kept.map(Math.abs));
  const positive = kept.reduce((sum, each, index) => (each > 0 ? sum + (ranks[index] as number) : sum), 0);
  if (ties === 0 && n <= MAX_EXACT) return exactTail(n, positive);
  const mean = (n * (n + 1)) / 4;
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - ties / 48;
  const distance = positive - mean;
  const z = (distance - Math.sign(distance) * 0.5) / Math.sqrt(variance);
  return Math.min(1, 2 * (1 - normalCdf(Math.abs(z))));
}

/** Ranks from 1; `ties`: the sum of t^3 - t over groups of t equal values. */
function ranksOf(values: readonly number[]): { readonly ranks: readonly number[]; readonly ties: number } {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] as number) - (values[b] as number));
  const ranks = new Array<number>(values.length).fill(0);
  let ties = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1] as number] === values[order[from] as number]) to += 1;
    const size = to - from + 1;
    ties += size ** 3 - size;
    for (let at = from; at <= to; at += 1) ranks[order[at] as number] = (from + to) / 2 + 1;
    from = to + 1;
  }
  return { ranks, ties };
}

/** Twice the smaller tail of the sum of the ranks 1 to n with random signs. */
function exactTail(n: number, positive: number): number {
  const total = (n * (n + 1)) / 2;
  const counts = new Float64Array(total + 1);
  counts[0] = 1;
  for (let rank = 1; rank <= n; rank += 1)
    for (let sum = total; sum >= rank; sum -= 1) counts[sum] = (counts[sum] as number) + (counts[sum - rank] as number);
  const least = Math.min(positive, total - positive);
  let tail = 0;
  for (let sum = 0; sum <= least; sum += 1) tail += counts[sum] as number;
  return Math.min(1, (2 * tail) / 2 ** n);
}

/**
 * The standard normal distribution function, with an absolute error below 7.5e-8. Source: M. Abramowitz, I. Stegun, "Handbook
 * of Mathematical Functions", formula 26.2.17.
 */
export function normalCdf(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const upper = density * series;
  return x >= 0 ? 1 - upper : upper;
}

/** Random numbers from 0 up to 1: the generator mulberry32, whose sequence depends on the seed alone. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The 95 % confidence interval of the mean of paired differences by the percentile bootstrap: the 2.5 % and 97.5 % percentiles
 * of the mean values of samples drawn with replacement. `draws`: the number of samples. Source: B. Efron, R. Tibshirani, "An
 * Introduction to the Bootstrap" (1993), section 13.3.
 */
export function bootstrapInterval(
  differences: readonly number[],
  draws: number,
  random: () => number,
): { readonly low: number; readonly high: number } {
  const n = differences.length;
  if (n === 0) return { low: 0, high: 0 };
  const means = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw += 1) {
    let sum = 0;
    for (let index = 0; index < n; index += 1) sum += differences[Math.floor(random() * n)] as number;
    means[draw] = sum / n;
  }
  means.sort();
  const at = (p: number): number => means[Math.min(draws - 1, Math.floor(p * draws))] as number;
  return { low: at(0.025), high: at(0.975) };
}
