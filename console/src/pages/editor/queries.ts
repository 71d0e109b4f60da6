import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

/** Types of steps change with a release, and with the workspace's own ones. */
const TYPES_STALE_MS = 10 * 60_000;
const MAX_NAMES = 200;

export const nodeTypesQuery = queryOptions({
  queryKey: ['node-types'],
  queryFn: ({ signal }) => api.workflows.node_types({}, { signal }),
  staleTime: TYPES_STALE_MS,
});

/** Names that expressions and settings can use; values of secrets never come to the browser. */
export const namesQuery = queryOptions({
  queryKey: ['names-of-expressions'],
  queryFn: async ({ signal }) => {
    const [secrets, variables, connections] = await Promise.all([
      api.secrets.list({ limit: MAX_NAMES }, { signal }),
      api.workflows.variables({ limit: MAX_NAMES }, { signal }),
      api.connections.list({ limit: MAX_NAMES }, { signal }),
    ]);
    return {
      secrets: secrets.data.map(({ name }) => name),
      variables: variables.data.map(({ name }) => name),
      connections: connections.data,
    };
  },
});

/** The workflow with its draft; null where there is none. */
export const editedQuery = (id: string) =>
  queryOptions({
    queryKey: ['workflows', id, 'edited'],
    queryFn: async ({ signal }) => {
      const [workflow, draft] = await Promise.all([
        api.workflows.get({ id }, { signal }),
        api.workflows.draft({ id }, { signal }),
      ]);
      return { workflow, draft };
    },
    // The document in the editor is the user's; another one is asked for at a conflict.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
