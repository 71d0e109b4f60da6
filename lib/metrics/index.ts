import type { Metrics } from './registry';

export { createRegistry, type Metrics, type Registry, SILENT_METRICS } from './registry';
export { METRICS } from './table';

/** Seconds, Prometheus' unit, from milliseconds. */
export const secondsOf = (ms: number): number => ms / 1_000;

/** Token usage of a model response. */
interface ModelUsage {
  readonly provider: string;
  /** The model's name in the price list: tenants' names are never labels. */
  readonly listedAs: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

/** Counts the tokens of models, and their costs if prices are known. */
export const countModels =
  (metrics: Metrics) =>
  ({ provider, listedAs, inputTokens, outputTokens, costUsd }: ModelUsage): void => {
    const model = listedAs ?? 'other';
    metrics.llmTokens.add(inputTokens, provider, model, 'input');
    metrics.llmTokens.add(outputTokens, provider, model, 'output');
    if (costUsd !== null) metrics.llmCost.add(costUsd, provider, model);
  };
