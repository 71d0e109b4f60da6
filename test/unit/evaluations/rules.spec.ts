import type { EvaluationSummary } from '../../../contracts/evaluations/views';
import { unusedRanges } from '../../../services/evaluations/datasets/prune';
import { compareResults, type ComparedResult } from '../../../services/evaluations/rules/compare';
import { allPassed, gateFaults, gateResults } from '../../../services/evaluations/rules/gates';
import { percentile } from '../../../services/evaluations/rules/percentile';
import { SummaryBuilder } from '../../../services/evaluations/rules/summary';

const METRICS = [
  { name: 'exact', type: 'equals', threshold: 1 },
  { name: 'judge', type: 'judge', threshold: 0.5 },
] as const;

const result = (exact: number, judge: number | null, more: object = {}) => ({
  run_status: 'completed',
  duration_ms: 100,
  tokens: 10,
  cost_usd: 0.1,
  judge_tokens: 5,
  judge_cost_usd: 0.01,
  score: (exact + (judge ?? 0)) / 2,
  passed: exact === 1 && (judge ?? 0) >= 0.5,
  has_error: judge === null,
  metrics: [
    { name: 'exact', score: exact, passed: exact === 1, error: null },
    { name: 'judge', score: judge ?? 0, passed: (judge ?? 0) >= 0.5, error: judge === null ? 'no answer' : null },
  ],
  ...more,
});

function summaryOf(...results: Parameters<SummaryBuilder['add']>[0][]): EvaluationSummary {
  const builder = new SummaryBuilder(METRICS);
  for (const each of results) builder.add(each);
  return builder.summary();
}

describe('a summary', () => {
  test('has the mean values, shares, percentiles and sums of its results', () => {
    const durations = Array.from({ length: 20 }, (_, n) => (n + 1) * 10);
    const all = durations.map((duration_ms, n) => result(n < 15 ? 1 : 0, n === 0 ? null : 0.8, { duration_ms }));
    expect(summaryOf(...all, result(0, 0, { run_status: 'failed', duration_ms: null }))).toMatchObject({
      rows: 21,
      passed: 14,
      run_failures: 1,
      errors: 1,
      pass_rate: 0.666667,
      latency: { mean_ms: 105, p50_ms: 100, p95_ms: 190 },
      tokens: 315,
      cost_usd: 2.31,
      judge_tokens: 105,
      judge_cost_usd: 0.21,
      metrics: [
        { name: 'exact', mean: 0.714286, passed: 15, errors: 0 },
        { name: 'judge', mean: 0.72381, passed: 19, errors: 1 },
      ],
    });
  });

  test('of nothing has no mean values', () =>
    expect(summaryOf()).toMatchObject({
      rows: 0,
      score: null,
      pass_rate: null,
      latency: { p50_ms: null },
      metrics: [{ mean: null }, {}],
    }));
});

test.each([
  [[], 0.5, null],
  [[7], 0.95, 7],
  [[1, 2, 3, 4], 0.5, 2],
  [[1, 2, 3, 4], 0.95, 4],
])('the percentile of %j at %d is %j', (values, p, found) => expect(percentile(values, p)).toBe(found));

describe('gates', () => {
  const summary = summaryOf(result(1, 0.8), result(0, 0.6));
  const resultOf = (gate: string) => gateResults([gate], summary, 'completed')[0];

  test.each<[string, number | null, boolean]>([
    ['score >= 0.6', 0.6, true],
    ['score > 0.6', 0.6, false],
    ['metrics.exact.mean<=0.5', 0.5, true],
    ['metrics.judge.pass_rate == 1', 1, true],
    ['metrics.exact.errors < 1', 0, true],
    ['latency.p95_ms <= 99', 100, false],
    ['cost_usd < 1e-3', 0.22, false],
    ['tokens <= 30', 30, true],
  ])('%s has the value %j and holds: %j', (gate, value, passed) =>
    expect(resultOf(gate)).toEqual({ gate, value, passed }),
  );

  test('are open before the end, and fail when the evaluation did not complete', () => {
    expect(gateResults(['score >= 0'], summary, 'running')[0]?.passed).toBeNull();
    expect(gateResults(['score >= 0'], summary, 'budget_exceeded')[0]?.passed).toBe(false);
    expect(gateResults(['score >= 0'], summaryOf(), 'completed')[0]).toMatchObject({ value: null, passed: false });
  });

  test('all pass, or not all, or there are none', () => {
    expect(allPassed(gateResults(['score >= 0', 'pass_rate >= 0'], summary, 'completed'))).toBe(true);
    expect(allPassed(gateResults(['score >= 0', 'pass_rate >= 1'], summary, 'completed'))).toBe(false);
    expect(allPassed([])).toBeNull();
    expect(allPassed(gateResults(['score >= 0'], summary, 'running'))).toBeNull();
  });

  test('that are wrong are named with a suggestion', () => {
    expect(gateFaults(['scor >= 1', 'score => 1', 'score >= 0.9'], ['exact'])).toEqual([
      { path: 'gates[0]', message: 'there is no value scor', hint: expect.stringMatching(/score/) },
      { path: 'gates[1]', message: expect.stringMatching(/must be a value/) },
    ]);
  });
});

describe('a comparison', () => {
  const compared = (row: number, score: number, version = `v${row}`): ComparedResult => ({
    row_id: `r${row}`,
    version_id: version,
    execution_id: null,
    score,
    passed: score === 1,
    scores: { exact: { score, passed: score === 1 } },
  });

  test('pairs rows of the same version, and lists what got better and worse', () => {
    const a = [compared(1, 0), compared(2, 1), compared(3, 0.5), compared(4, 1), compared(5, 1, 'old')];
    const b = [
      compared(1, 1),
      compared(2, 1),
      compared(3, 0.75),
      compared(4, 0),
      compared(5, 1, 'new'),
      compared(6, 1),
    ];
    expect(compareResults({ a, b, metrics: ['exact'], limit: 1 })).toMatchObject({
      pairs: 4,
      unpaired: 3,
      metrics: [
        {
          name: 'score',
          mean_a: 0.625,
          mean_b: 0.6875,
          difference: 0.0625,
          only_a_passed: 1,
          only_b_passed: 1,
          p_passes: 1,
          significant: false,
        },
        { name: 'exact' },
      ],
      better: { total: 2, rows: [{ row_id: 'r1', difference: 1 }] },
      worse: { total: 1, rows: [{ row_id: 'r4', difference: -1 }] },
    });
  });

  test('of the same results finds the same interval each time', () => {
    const many = (shift: number) => Array.from({ length: 300 }, (_, n) => compared(n, ((n * 7 + shift) % 100) / 100));
    const given = { a: many(0), b: many(3), metrics: [], limit: 20 };
    const found = compareResults(given);
    expect(found).toMatchObject({ pairs: 300, metrics: [{ difference: 0, mean_a: 0.495, mean_b: 0.495 }] });
    expect(compareResults(given)).toEqual(found);
  });

  test('of nothing has no differences', () =>
    expect(compareResults({ a: [], b: [], metrics: [], limit: 5 })).toMatchObject({
      pairs: 0,
      metrics: [{ difference: 0, p_scores: 1 }],
    }));
});

describe('ranges of versions that no revision needs', () => {
  test.each([
    [[], 5, [{ after: -1, until: 5 }]],
    [
      [2, 2, 4],
      5,
      [
        { after: -1, until: 2 },
        { after: 2, until: 4 },
        { after: 4, until: 5 },
      ],
    ],
    [[5], 5, [{ after: -1, until: 5 }]],
  ])('with %j of %d', (needed, current, ranges) => expect(unusedRanges(needed, current)).toEqual(ranges));
});
