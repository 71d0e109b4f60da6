import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { msUntilNext } from '../../app/queries';

const STEADY_MS = 30_000;

export const workflowsQuery = queryOptions({
  queryKey: ['workflows', 'any'],
  queryFn: ({ signal }) => api.workflows.list({ limit: 1 }, { signal }),
});

export const activityQuery = queryOptions({
  queryKey: ['runs', 'activity'],
  queryFn: ({ signal }) => api.executions.activity({ hours: 24 }, { signal }),
});

export const latestRunsQuery = queryOptions({
  queryKey: ['runs', 'latest'],
  queryFn: ({ signal }) => api.executions.list({ limit: 6, trials: false }, { signal }),
});

/** Schedules in the card of the home page. */
export const nextSchedulesQuery = queryOptions({
  queryKey: ['schedules', 'next'],
  queryFn: ({ signal }) => api.scheduler.list({ sort: 'next', limit: 5, next_runs: 1 }, { signal }),
  refetchInterval: ({ state }) => msUntilNext(state.data?.data.map(({ next_at }) => next_at) ?? []),
});

export const healthQuery = queryOptions({
  queryKey: ['workflows', 'health'],
  queryFn: ({ signal }) => api.workflows.health_all({ limit: 100 }, { signal }),
});

export const subscriptionQuery = queryOptions({
  queryKey: ['billing', 'subscription'],
  queryFn: ({ signal }) => api.billing.subscription({}, { signal }),
  staleTime: STEADY_MS,
});
