import { formatCount, formatDuration } from './format';
import { queryOfWorkflow } from './run-query';

export const QUEUE_KINDS = ['batch', 'concurrency', 'connection', 'debounce', 'throttle'] as const;
export type QueueKind = (typeof QUEUE_KINDS)[number];

export const isQueueKind = (value: string): value is QueueKind => (QUEUE_KINDS as readonly string[]).includes(value);

interface Limit {
  readonly kind: QueueKind;
  readonly limit: number | null;
  readonly period_ms: number | null;
  readonly used: number;
}

/** What a queue is limited to, such as `60 starts in 1m` or `2 at a time`. */
export function limitText({ kind, limit, period_ms: period }: Limit): string {
  if (kind === 'connection') return 'Quota of a connection';
  if (limit === null) return 'Last of a series';
  if (kind === 'batch') return `Batch of ${formatCount(limit)}`;
  if (kind === 'concurrency' || period === null) return `${formatCount(limit)} at a time`;
  return `${formatCount(limit)} ${limit === 1 ? 'start' : 'starts'} in ${formatDuration(period)}`;
}

/** How much of the limit is used, such as `2 of 5`. */
export function usedText({ kind, used, limit }: Limit): string {
  if (limit !== null) return `${formatCount(used)} of ${formatCount(limit)}`;
  const unit = kind === 'connection' ? 'step' : 'start';
  return `${formatCount(used)} ${unit}${used === 1 ? '' : 's'}`;
}

/** The query of the runs that wait in a queue's workflow. */
export const queryOfQueue = ({ kind, workflow_id }: Pick<Limit, 'kind'> & { readonly workflow_id: string }): string =>
  `${queryOfWorkflow(workflow_id)} AND WaitingFor = "${kind === 'concurrency' ? 'slot' : kind}"`;
