import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { allRows } from '../../app/paging';

/** Built-in connectors and those that the workspace has imported, without the schemas of their actions. */
export const connectorsQuery = queryOptions({
  queryKey: ['connectors', 'list'],
  queryFn: async ({ signal }) => (await api.connectors.list({}, { signal })).data,
  staleTime: 60_000,
});

export const connectorQuery = (name: string) =>
  queryOptions({
    queryKey: ['connectors', 'one', name],
    queryFn: ({ signal }) => api.connectors.get({ name }, { signal }),
    staleTime: 60_000,
  });

export const customNodesQuery = queryOptions({
  queryKey: ['custom-nodes'],
  queryFn: ({ signal }) => allRows((page) => api.workflows.custom_nodes(page, { signal })),
});
