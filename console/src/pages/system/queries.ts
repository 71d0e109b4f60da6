import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor } from '../../app/paging';

const REFRESH_MS = 5_000;
const PAGE_ROWS = 50;

export const hostsQuery = queryOptions({
  queryKey: ['system', 'hosts'],
  queryFn: ({ signal }) => api.processes.hosts({}, { signal }),
  refetchInterval: REFRESH_MS,
});

export const queuesQuery = queryOptions({
  queryKey: ['system', 'queues'],
  queryFn: ({ signal }) => api.executions.operator_queues({}, { signal }),
  refetchInterval: REFRESH_MS,
});

/** Each look connects to the mail server. */
const CHECK_MS = 15_000;
export const readinessQuery = queryOptions({
  queryKey: ['system', 'readiness'],
  queryFn: ({ signal }) => api.processes.readiness({}, { signal }),
  refetchInterval: CHECK_MS,
});

export const keysQuery = queryOptions({
  queryKey: ['system', 'keys'],
  queryFn: ({ signal }) => api.secrets.operator_keys({}, { signal }),
  refetchInterval: REFRESH_MS,
});

/** By slug. */
export const tenantsQuery = (q: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['system', 'tenants', q],
    queryFn: ({ pageParam, signal }) =>
      api.auth.operator_tenants(
        { ...(q && { q }), ...(pageParam === null ? {} : { cursor: pageParam }), limit: PAGE_ROWS },
        { signal },
      ),
    ...pagesByCursor,
  });

export const tenantQuery = (id: string) =>
  queryOptions({
    queryKey: ['system', 'tenant', id],
    queryFn: ({ signal }) => api.auth.operator_tenant({ id }, { signal }),
  });

/** What operators did, newest first. */
export const logQuery = infiniteQueryOptions({
  queryKey: ['system', 'log'],
  queryFn: ({ pageParam, signal }) =>
    api.audit.operator_list({ ...(pageParam === null ? {} : { cursor: pageParam }), limit: PAGE_ROWS }, { signal }),
  ...pagesByCursor,
});
