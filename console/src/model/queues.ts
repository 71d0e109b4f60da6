import { formatCount, formatDuration } from './format';
import { queryOfWorkflow } from './run-query';

interface Limit {
  readonly kind: 'concurrency' | 'throttle';
  readonly limit: number;
  readonly period_ms: number | null;
  readonly used: number;
}

/** What a queue is limited to, such as `60 starts in 1m` or `2 at a time`. */
export function limitText({ kind, limit, period_ms: period }: Limit): string {
  if (kind === 'concurrency' || period === null) return `${formatCount(limit)} at a time`;
  return `${formatCount(limit)} ${limit === 1 ? 'start' : 'starts'} in ${formatDuration(period)}`;
}

/** How much of the limit is used, such as `2 of 5`. */
export const usedText = ({ used, limit }: Limit): string => `${formatCount(used)} of ${formatCount(limit)}`;

/** The query of the runs that wait in a queue's workflow. */
export const queryOfQueue = ({ kind, workflow_id }: Pick<Limit, 'kind'> & { readonly workflow_id: string }): string =>
  `${queryOfWorkflow(workflow_id)} AND WaitingFor = "${kind === 'throttle' ? 'throttle' : 'slot'}"`;
