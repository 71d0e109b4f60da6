import { infiniteQueryOptions } from '@tanstack/react-query';
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
