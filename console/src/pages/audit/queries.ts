import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor } from '../../app/paging';
import type { AuditFilters } from './route';

const PAGE_ROWS = 100;

const given = (filters: AuditFilters): Record<string, string> =>
  Object.fromEntries(Object.entries(filters).filter((pair): pair is [string, string] => pair[1] !== undefined));

/** Events, newest first. */
export const eventsQuery = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'list', given(filters)],
    queryFn: ({ pageParam, signal }) =>
      api.audit.list(
        { ...given(filters), ...(pageParam === null ? {} : { cursor: pageParam }), limit: PAGE_ROWS },
        { signal },
      ),
    ...pagesByCursor,
  });

const STREAM_REFRESH_MS = 5_000;

/** Where events are sent, and how far it is. */
export const streamQuery = queryOptions({
  queryKey: ['audit', 'stream'],
  queryFn: ({ signal }) => api.audit.stream({}, { signal }),
  refetchInterval: STREAM_REFRESH_MS,
});

/** The path of all matching events as one file. */
export const exportPath = (filters: AuditFilters): string =>
  `/api/v1/audit?${new URLSearchParams({ format: 'csv', ...given(filters) })}`;
