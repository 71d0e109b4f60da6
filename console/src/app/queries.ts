import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { api, isUnreachable } from '../api/client';

const RECONNECT_MS = 2_000;

/** The client itself repeats a request some times; this goes on while the server is away, so that a page recovers by itself. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (_count, error) => isUnreachable(error),
      retryDelay: RECONNECT_MS,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.auth.me({}, { signal }),
  staleTime: 60_000,
});

/** The signed-in user with the workspace. */
export const useMe = () => useQuery(meQuery);

const APPROVALS_EVERY_MS = 30_000;

/** The number beside the navigation. */
export const approvalsCountQuery = queryOptions({
  queryKey: ['approvals', 'count'],
  queryFn: ({ signal }) => api.executions.approvals_count({}, { signal }),
  refetchInterval: APPROVALS_EVERY_MS,
});

/** Approvals that the user may decide. */
export const myApprovalsQuery = queryOptions({
  queryKey: ['approvals', { kind: 'approval', mine: true }],
  queryFn: ({ signal }) => api.executions.approvals({ kind: 'approval', mine: true, limit: 100 }, { signal }),
  refetchInterval: APPROVALS_EVERY_MS,
});
