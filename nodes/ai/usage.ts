import { addUsd } from '../../lib/usd';
import type { Usage } from '../contract';

/** What questions have used. The cost is null when the price of one is not known. */
export interface UsageTotals {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
}

export const NOTHING_SPENT: UsageTotals = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

export const addSpent = (a: UsageTotals, b: UsageTotals): UsageTotals => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cost_usd: a.cost_usd === null || b.cost_usd === null ? null : addUsd(a.cost_usd, b.cost_usd),
});

/** As it is counted for the step and the run. */
export const usageOf = ({ input_tokens, output_tokens, cost_usd }: UsageTotals): Usage => ({
  input_tokens,
  output_tokens,
  ...(cost_usd === null ? {} : { cost_usd }),
});
