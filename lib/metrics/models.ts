import type { Metrics } from './registry';

/** What one answer of a model has used, as far as it is counted. */
interface Used {
  readonly provider: string;
  /** As price lists name it: what tenants write is no label. */
  readonly listedAs: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

/** Counts the tokens of models, and their costs as far as they are known. */
export const countModels =
  (metrics: Metrics) =>
  ({ provider, listedAs, inputTokens, outputTokens, costUsd }: Used): void => {
    const model = listedAs ?? 'other';
    metrics.llmTokens.add(inputTokens, provider, model, 'input');
    metrics.llmTokens.add(outputTokens, provider, model, 'output');
    if (costUsd !== null) metrics.llmCost.add(costUsd, provider, model);
  };
