import { addUsd } from '../../../lib/usd';
import type { EvaluationSummary, MetricResult } from '../../../contracts/evaluations/views';
import type { Metric } from '../metrics/definition';
import { percentile } from './percentile';

/** A result as summaries count it. */
interface CountedResult {
  readonly run_status: string | null;
  readonly duration_ms: number | null;
  readonly tokens: number;
  readonly cost_usd: number;
  readonly judge_tokens: number;
  readonly judge_cost_usd: number;
  readonly score: number | null;
  readonly passed: boolean | null;
  readonly has_error: boolean;
  readonly metrics: readonly Pick<MetricResult, 'name' | 'score' | 'passed' | 'error'>[];
}

interface MetricSums {
  sum: number;
  passed: number;
  errors: number;
}

const FRACTION_DIGITS = 6;
const rounded = (value: number): number => Number(value.toFixed(FRACTION_DIGITS));
const share = (part: number, whole: number): number | null => (whole === 0 ? null : rounded(part / whole));

/** Sums of results, to which results are added one by one. */
export class SummaryBuilder {
  #rows = 0;
  #passed = 0;
  #runFailures = 0;
  #errors = 0;
  #score = 0;
  #tokens = 0;
  #usd = 0;
  #judgeTokens = 0;
  #judgeUsd = 0;
  readonly #durations: number[] = [];
  readonly #sums: readonly MetricSums[];

  constructor(private readonly metrics: readonly Pick<Metric, 'name' | 'type' | 'threshold'>[]) {
    this.#sums = metrics.map(() => ({ sum: 0, passed: 0, errors: 0 }));
  }

  get rows(): number {
    return this.#rows;
  }

  /** What runs and judges have used so far. */
  get spent(): { readonly tokens: number; readonly cost_usd: number } {
    return { tokens: this.#tokens + this.#judgeTokens, cost_usd: addUsd(this.#usd, this.#judgeUsd) };
  }

  add(result: CountedResult): void {
    this.#rows += 1;
    if (result.passed === true) this.#passed += 1;
    if (result.run_status !== 'completed') this.#runFailures += 1;
    if (result.has_error) this.#errors += 1;
    this.#score += result.score ?? 0;
    this.#tokens += result.tokens;
    this.#usd = addUsd(this.#usd, result.cost_usd);
    this.#judgeTokens += result.judge_tokens;
    this.#judgeUsd = addUsd(this.#judgeUsd, result.judge_cost_usd);
    if (result.duration_ms !== null) this.#durations.push(result.duration_ms);
    for (const [index, sums] of this.#sums.entries()) {
      const scored = result.metrics[index];
      sums.sum += scored?.score ?? 0;
      if (scored?.passed === true) sums.passed += 1;
      if (scored !== undefined && scored.error !== null) sums.errors += 1;
    }
  }

  summary(): EvaluationSummary {
    const rows = this.#rows;
    const sorted = Float64Array.from(this.#durations).sort();
    const durations = Array.from(sorted);
    const total = durations.reduce((sum, each) => sum + each, 0);
    return {
      rows,
      passed: this.#passed,
      run_failures: this.#runFailures,
      errors: this.#errors,
      score: share(this.#score, rows),
      pass_rate: share(this.#passed, rows),
      latency: {
        mean_ms: durations.length === 0 ? null : Math.round(total / durations.length),
        p50_ms: percentile(durations, 0.5),
        p95_ms: percentile(durations, 0.95),
      },
      ...this.spent,
      judge_tokens: this.#judgeTokens,
      judge_cost_usd: this.#judgeUsd,
      metrics: this.metrics.map(({ name, type, threshold }, index) => {
        const { sum, passed, errors } = this.#sums[index] as MetricSums;
        return { name, type, threshold, mean: share(sum, rows), pass_rate: share(passed, rows), passed, errors };
      }),
    };
  }
}
