import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { api, isUnreachable } from '../api/client';

const RECONNECT_MS = 2_000;
/** What is due is done by then. */
const AFTER_MS = 1_500;
/** Timers of a browser count to 2^31 ms. */
const MAX_TIMER_MS = 86_400_000;

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

/** The number beside the navigation. */
export const approvalsCountQuery = queryOptions({
  queryKey: ['approvals', 'count'],
  queryFn: ({ signal }) => api.executions.approvals_count({}, { signal }),
});

/** Approvals that the user may decide. */
export const myApprovalsQuery = queryOptions({
  queryKey: ['approvals', { kind: 'approval', mine: true }],
  queryFn: ({ signal }) => api.executions.approvals({ kind: 'approval', mine: true, limit: 100 }, { signal }),
  refetchInterval: ({ state }) => msUntilNext(state.data?.data.map(({ until }) => until) ?? []),
});

/** For lists that change at times which they name, without an event: milliseconds until just after the soonest; false without one. */
export function msUntilNext(times: readonly (string | null)[]): number | false {
  const now = Date.now();
  const next = Math.min(...times.flatMap((at) => (at === null || Date.parse(at) < now ? [] : [Date.parse(at)])));
  return next - now > MAX_TIMER_MS ? false : next - now + AFTER_MS;
}
