import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor } from '../../app/paging';

const PAGE_ROWS = 100;
const MAX_DATASETS = 200;

export const datasetsQuery = queryOptions({
  queryKey: ['datasets', 'list'],
  queryFn: ({ signal }) => api.evaluations.list_datasets({ limit: MAX_DATASETS }, { signal }),
});

export const datasetQuery = (id: string) =>
  queryOptions({
    queryKey: ['datasets', 'one', id],
    queryFn: ({ signal }) => api.evaluations.dataset({ id }, { signal }),
  });

/** Rows in the order of their addition. */
export const rowsQuery = (id: string, tag: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['datasets', 'rows', id, tag],
    queryFn: ({ pageParam, signal }) =>
      api.evaluations.rows(
        {
          id,
          limit: PAGE_ROWS,
          ...(tag === undefined ? {} : { tag }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    ...pagesByCursor,
  });
