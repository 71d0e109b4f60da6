import { infiniteQueryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { asksForTrials } from '../../model/run-views';

const PAGE_ROWS = 100;

/** A page of the list starts at a cursor, or at an offset where the query has an order of its own. */
interface PageStart {
  readonly cursor?: string;
  readonly offset?: number;
}

const FIRST_PAGE: PageStart = {};

/** Runs that match a query, newest first. Trials are left out unless they are asked for. */
export const runsQuery = (query: string, trials = asksForTrials(query)) =>
  infiniteQueryOptions({
    queryKey: ['runs', 'list', query, trials],
    queryFn: ({ pageParam, signal }) =>
      api.executions.visibility(
        { ...(query === '' ? {} : { query }), ...(trials ? {} : { trials }), limit: PAGE_ROWS, ...pageParam },
        { signal },
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor: cursor, data, offset }): PageStart | undefined => {
      if (cursor !== null) return { cursor };
      return /\bORDER\s+BY\b/i.test(query) && data.length === PAGE_ROWS ? { offset: offset + PAGE_ROWS } : undefined;
    },
  });
