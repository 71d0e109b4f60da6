import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor } from '../../app/paging';
import type { WorkflowFilters } from './route';

const PAGE_ROWS = 50;

export const workflowsQuery = ({ enabled, ...filters }: WorkflowFilters) =>
  infiniteQueryOptions({
    queryKey: ['workflows', 'list', filters, enabled],
    queryFn: ({ pageParam, signal }) =>
      api.workflows.list(
        {
          ...filters,
          ...(enabled === undefined ? {} : { enabled: enabled === 'true' }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
          limit: PAGE_ROWS,
        },
        { signal },
      ),
    ...pagesByCursor,
  });

/** Shown in a select; a workspace with more is filtered by the search. */
const MAX_FOLDERS = 200;

export const foldersQuery = queryOptions({
  queryKey: ['workflows', 'folders'],
  queryFn: ({ signal }) => api.workflows.folder_list({ limit: MAX_FOLDERS }, { signal }),
});

export const folderAccessQuery = (folder: string) =>
  queryOptions({
    queryKey: ['workflows', 'folders', folder],
    queryFn: ({ signal }) => api.workflows.folder_access({ folder }, { signal }),
  });
