/** Members of a run's document that its workflow's document decides when the run starts. */
import type { StartRate, Throttle } from '../core/decide/throttle';
import type { Concurrency, Execution } from '../core/model';
import type { ExecutionDocument } from './documents';

export interface ConcurrencyDocument {
  group: string;
  key: string;
  limit: number;
  on_conflict: Concurrency['onConflict'];
  name?: string;
}

export interface ThrottleDocument {
  window: string;
  key: string;
  limit: number;
  period_ms: number;
  burst: number;
  passed: boolean;
  name?: string;
}

/** Runs without a priority have the time of their start as rank, where they have one. */
export const rankOf = ({
  rank,
  started_at,
}: Pick<ExecutionDocument, 'rank' | 'started_at'>): Pick<Execution, 'rank'> =>
  rank === undefined || rank.getTime() === started_at.getTime() ? {} : { rank: rank.getTime() };

export const throttleToDocument = ({ periodMs, ...rest }: Throttle) => ({ ...rest, period_ms: periodMs });

export const throttleFromDocument = ({ period_ms, ...rest }: ThrottleDocument): Throttle => ({
  ...rest,
  periodMs: period_ms,
});

export const rateFromDocument = ({ limit, period_ms, burst }: ThrottleDocument): StartRate => ({
  limit,
  periodMs: period_ms,
  burst,
});

export const concurrencyToDocument = ({ onConflict, ...rest }: Concurrency): ConcurrencyDocument => ({
  ...rest,
  on_conflict: onConflict,
});

export const concurrencyFromDocument = ({ on_conflict, ...rest }: ConcurrencyDocument): Concurrency => ({
  ...rest,
  onConflict: on_conflict,
});

export const labelsToDocument = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .sort();

export const labelsFromDocument = (labels: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    labels.map((label) => {
      const end = label.indexOf('=');
      return [label.slice(0, end), label.slice(end + 1)];
    }),
  );
