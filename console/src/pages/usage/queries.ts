import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

/** Usage against the limits of the plan, and day by day; the server keeps it for half a minute. */
export const metricsQuery = queryOptions({
  queryKey: ['usage', 'metrics'],
  queryFn: ({ signal }) => api.billing.metrics({}, { signal }),
  staleTime: 30_000,
});

/** Usage by workflow and by model. */
export const breakdownQuery = (days: number) =>
  queryOptions({
    queryKey: ['usage', 'breakdown', days],
    queryFn: ({ signal }) => api.executions.breakdown({ days }, { signal }),
    placeholderData: keepPreviousData,
  });

export const subscriptionQuery = queryOptions({
  queryKey: ['usage', 'subscription'],
  queryFn: ({ signal }) => api.billing.subscription({}, { signal }),
});

export const plansQuery = queryOptions({
  queryKey: ['usage', 'plans'],
  queryFn: async ({ signal }) => (await api.billing.plans({}, { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The processes that run workflows. For admins. */
export const workersQuery = queryOptions({
  queryKey: ['usage', 'workers'],
  queryFn: async ({ signal }) => (await api.executions.workers({}, { signal })).data[0] ?? null,
});

/** Whether stored values are encrypted with the newest key. For admins. */
export const keysQuery = queryOptions({
  queryKey: ['usage', 'keys'],
  queryFn: ({ signal }) => api.secrets.keys({}, { signal }),
});
