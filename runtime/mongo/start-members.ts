/** Members of a run's document that its workflow's document decides when the run starts. */
import type { Throttle } from '../core/decide/throttle';
import type { Execution } from '../core/model';
import type { ExecutionDocument } from './documents';

/** Runs without a priority have the time of their start as rank, where they have one. */
export const rankOf = ({
  rank,
  started_at,
}: Pick<ExecutionDocument, 'rank' | 'started_at'>): Pick<Execution, 'rank'> =>
  rank === undefined || rank.getTime() === started_at.getTime() ? {} : { rank: rank.getTime() };

export const throttleToDocument = ({ periodMs, ...rest }: Throttle) => ({ ...rest, period_ms: periodMs });

export const throttleFromDocument = ({ period_ms, ...rest }: NonNullable<ExecutionDocument['throttle']>): Throttle => ({
  ...rest,
  periodMs: period_ms,
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
