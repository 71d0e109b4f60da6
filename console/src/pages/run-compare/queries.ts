import { infiniteQueryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { pagesByCursor } from '../../app/paging';

const WINDOW_STEPS = 100;
const CHANGES = 20;

export type RunComparison = Awaited<ReturnType<typeof api.executions.compare>>;

/** Which steps are compared: those around loops, or those inside one; `all`: also those that are the same. */
interface Scope {
  readonly parent?: string | undefined;
  readonly all: boolean;
}

export const runComparisonQuery = (id: string, other: string, { parent, all }: Scope) =>
  infiniteQueryOptions({
    queryKey: ['runs', id, 'compare', other, parent, all],
    queryFn: ({ pageParam, signal }) =>
      api.executions.compare(
        {
          id,
          other,
          limit: WINDOW_STEPS,
          changes: CHANGES,
          ...(all ? {} : { differences: true }),
          ...(parent === undefined ? {} : { parent }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    ...pagesByCursor,
  });
