import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

const MAX_CHATS = 200;
const MAX_WORKFLOWS = 200;

/** The chats of all workflows. */
export const chatsQuery = queryOptions({
  queryKey: ['chats'],
  queryFn: ({ signal }) => api.workflows.all_chats({ limit: MAX_CHATS }, { signal }),
});

/** Workflows to choose from, by name. */
export const workflowChoicesQuery = queryOptions({
  queryKey: ['chats', 'workflows'],
  queryFn: ({ signal }) => api.workflows.list({ sort: 'name', limit: MAX_WORKFLOWS }, { signal }),
});
