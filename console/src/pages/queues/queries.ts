import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { QueueKind } from '../../model/queues';

const MAX_ROWS = 200;
const REFRESH_MS = 4_000;

/** The longest queues of the workspace. */
export const queuesQuery = (kind: QueueKind | undefined) =>
  queryOptions({
    queryKey: ['queues', kind],
    queryFn: ({ signal }) => api.executions.queues({ ...(kind && { kind }), limit: MAX_ROWS }, { signal }),
    refetchInterval: REFRESH_MS,
  });
