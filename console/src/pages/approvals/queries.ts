import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

const MAX_ROWS = 100;
const REFRESH_MS = 10_000;

/** Waiting approvals, those of the oldest runs first. `mine`: only what the user may decide. */
export const approvalsQuery = (mine: boolean) =>
  queryOptions({
    queryKey: ['approvals', 'list', mine],
    queryFn: ({ signal }) =>
      api.executions.approvals({ kind: 'approval', ...(mine ? { mine } : {}), limit: MAX_ROWS }, { signal }),
    refetchInterval: REFRESH_MS,
  });
