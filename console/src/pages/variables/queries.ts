import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { allRows } from '../../app/paging';

export const secretsQuery = queryOptions({
  queryKey: ['secrets', 'list'],
  queryFn: ({ signal }) => allRows((page) => api.secrets.list(page, { signal })),
});

export const secretUsedByQuery = (name: string) =>
  queryOptions({
    queryKey: ['secrets', 'used-by', name],
    queryFn: ({ signal }) => api.secrets.used_by({ name }, { signal }),
  });

/** Whether all stored values are encrypted with the newest key. For admins. */
export const keysStateQuery = queryOptions({
  queryKey: ['secrets', 'keys'],
  queryFn: ({ signal }) => api.secrets.keys({}, { signal }),
});

export const variablesQuery = queryOptions({
  queryKey: ['variables', 'list'],
  queryFn: ({ signal }) => allRows((page) => api.workflows.variables(page, { signal })),
});

export const variableUsedByQuery = (name: string) =>
  queryOptions({
    queryKey: ['variables', 'used-by', name],
    queryFn: ({ signal }) => api.workflows.variable_used_by({ name }, { signal }),
  });
