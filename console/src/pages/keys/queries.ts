import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

const MAX_KEYS = 200;
const MAX_CHOICES = 200;

export const apiKeysQuery = queryOptions({
  queryKey: ['keys', 'workspace'],
  queryFn: ({ signal }) => api.auth.list_api_keys({ limit: MAX_KEYS }, { signal }),
});

/** The service accounts among the members; for admins alone. */
export const serviceAccountsQuery = queryOptions({
  queryKey: ['members', 'services'],
  queryFn: async ({ signal }) =>
    (await api.auth.members({ limit: MAX_KEYS }, { signal })).data.filter(({ kind }) => kind === 'service'),
});

export const workflowKeysQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', 'workflow', id],
    queryFn: ({ signal }) => api.workflows.list_keys({ id, limit: MAX_KEYS }, { signal }),
  });

/** The workflows whose keys can be shown. */
export const workflowChoicesQuery = queryOptions({
  queryKey: ['workflows', 'choices'],
  queryFn: ({ signal }) => api.workflows.list({ limit: MAX_CHOICES, sort: 'name' }, { signal }),
});
