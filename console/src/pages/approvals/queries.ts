import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { msUntilNext } from '../../app/queries';

const MAX_ROWS = 100;
const PAGE_ROWS = 50;

/** Waiting approvals, those of the oldest runs first. `mine`: only what the user may decide. */
export const approvalsQuery = (mine: boolean) =>
  queryOptions({
    queryKey: ['approvals', 'list', mine],
    queryFn: ({ signal }) =>
      api.executions.approvals({ kind: 'approval', ...(mine ? { mine } : {}), limit: MAX_ROWS }, { signal }),
    refetchInterval: ({ state }) => msUntilNext(state.data?.data.map(({ until }) => until) ?? []),
  });

/** Decided approvals, newest first. */
export const historyQuery = infiniteQueryOptions({
  queryKey: ['approvals', 'history'],
  queryFn: ({ pageParam, signal }) =>
    api.executions.decided({ limit: PAGE_ROWS, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor: cursor }) => cursor,
});
