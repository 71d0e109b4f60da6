import { defineTask } from '../../../lib/compute/task';
import type { EvaluationComparison } from '../../../contracts/evaluations/views';
import { bootstrapInterval, mcNemarExact, seededRandom, wilcoxonSignedRank } from './statistics';

/** A result of one evaluation, as comparisons need it. */
export interface ComparedResult {
  readonly row_id: string;
  /** Of the row: results of different versions are not compared. */
  readonly version_id: string;
  readonly execution_id: string | null;
  readonly score: number;
  readonly passed: boolean;
  /** By metric. */
  readonly scores: Readonly<Record<string, { readonly score: number; readonly passed: boolean }>>;
}

interface Compared {
  readonly a: readonly ComparedResult[];
  readonly b: readonly ComparedResult[];
  /** Metrics that both have. */
  readonly metrics: readonly string[];
  /** Rows of each list. */
  readonly limit: number;
}

type Comparison = Omit<EvaluationComparison, 'a' | 'b'>;
type Pair = readonly [ComparedResult, ComparedResult];
type Scored = { readonly score: number; readonly passed: boolean };

const MAX_OPERATIONS = 2_000_000;
const MAX_DRAWS = 2_000;
/** The same results give the same interval each time. */
const SEED = 20_240_229;
const SIGNIFICANT = 0.05;
const FRACTION_DIGITS = 6;

export const compareTask = defineTask(
  'services/evaluations/rules/compare',
  'compareTask',
  (given: Compared): Comparison => compareResults(given),
);

/** Compares the results of rows that both evaluations have. Pure. */
export function compareResults({ a, b, metrics, limit }: Compared): Comparison {
  const others = new Map(b.map((result) => [result.version_id, result]));
  const pairs = a.flatMap((result): Pair[] => {
    const other = others.get(result.version_id);
    return other === undefined ? [] : [[result, other]];
  });
  const of = (name: string, scored: (result: ComparedResult) => Scored) =>
    differenceOf(
      name,
      pairs.map(([left, right]) => [scored(left), scored(right)] as const),
    );
  const absent: Scored = { score: 0, passed: false };
  return {
    pairs: pairs.length,
    unpaired: a.length + b.length - 2 * pairs.length,
    metrics: [
      of('score', (result) => result),
      ...metrics.map((name) =>
        of(name, ({ scores }) => (Object.hasOwn(scores, name) ? (scores[name] as Scored) : absent)),
      ),
    ],
    better: moved(pairs, 1, limit),
    worse: moved(pairs, -1, limit),
  };
}

function differenceOf(name: string, pairs: readonly (readonly [Scored, Scored])[]): Comparison['metrics'][number] {
  const n = Math.max(1, pairs.length);
  const mean = (of: (pair: readonly [Scored, Scored]) => number): number =>
    rounded(pairs.reduce((sum, pair) => sum + of(pair), 0) / n);
  const count = (of: (pair: readonly [Scored, Scored]) => boolean): number => pairs.filter(of).length;
  const differences = pairs.map(([left, right]) => right.score - left.score);
  const draws = Math.max(200, Math.min(MAX_DRAWS, Math.floor(MAX_OPERATIONS / n)));
  const { low, high } = bootstrapInterval(differences, draws, seededRandom(SEED));
  const only_a_passed = count(([left, right]) => left.passed && !right.passed);
  const only_b_passed = count(([left, right]) => !left.passed && right.passed);
  const p_passes = rounded(mcNemarExact(only_a_passed, only_b_passed));
  const p_scores = rounded(wilcoxonSignedRank(differences.map(rounded)));
  return {
    name,
    mean_a: mean(([left]) => left.score),
    mean_b: mean(([, right]) => right.score),
    difference: mean(([left, right]) => right.score - left.score),
    low: rounded(low),
    high: rounded(high),
    pass_rate_a: mean(([left]) => Number(left.passed)),
    pass_rate_b: mean(([, right]) => Number(right.passed)),
    only_a_passed,
    only_b_passed,
    p_passes,
    p_scores,
    significant: (isBinary(pairs) ? p_passes : p_scores) < SIGNIFICANT,
  };
}

/** Whether all scores are 0 or 1: then the exact test of passes says more. */
const isBinary = (pairs: readonly (readonly [Scored, Scored])[]): boolean =>
  pairs.every((pair) => pair.every(({ score, passed }) => score === Number(passed)));

function moved(pairs: readonly Pair[], direction: 1 | -1, limit: number): Comparison['better'] {
  const rows = pairs
    .map(([left, right]) => ({
      row_id: left.row_id,
      score_a: left.score,
      score_b: right.score,
      difference: rounded(right.score - left.score),
      execution_a: left.execution_id,
      execution_b: right.execution_id,
    }))
    .filter(({ difference }) => difference * direction > 0)
    .sort((x, y) => direction * (y.difference - x.difference));
  return { total: rows.length, rows: rows.slice(0, limit) };
}

const rounded = (value: number): number => Number(value.toFixed(FRACTION_DIGITS));
