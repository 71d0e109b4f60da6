import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { allRows } from '../../app/paging';

const MAX_ROWS = 200;
const REFRESH_MS = 30_000;

export const connectionsQuery = queryOptions({
  queryKey: ['connections', 'list'],
  queryFn: ({ signal }) => allRows((page) => api.connections.list(page, { signal })),
  refetchInterval: REFRESH_MS,
});

export const usedByQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', 'used-by', id],
    queryFn: ({ signal }) => api.connections.used_by({ id }, { signal }),
  });

export const appsQuery = queryOptions({
  queryKey: ['connections', 'apps'],
  queryFn: async ({ signal }) => (await api.connections.list_apps({ limit: MAX_ROWS }, { signal })).data,
});

export const presetsQuery = queryOptions({
  queryKey: ['connections', 'presets'],
  queryFn: async ({ signal }) => (await api.connections.presets({}, { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

export const providersQuery = queryOptions({
  queryKey: ['connections', 'providers'],
  queryFn: async ({ signal }) => (await api.connections.oauth_status({}, { signal })).providers,
});
