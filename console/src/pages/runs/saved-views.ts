import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, EverstepError } from '../../api/client';
import type { RunView } from '../../model/run-views';

const MAX_TRIES = 3;

/** The views that the user has saved. */
export const savedViewsQuery = queryOptions({
  queryKey: ['run-views'],
  queryFn: ({ signal }) => api.auth.run_views({}, { signal }),
});

/** Changes the saved views; the change is repeated when another tab was first. */
export function useChangeViews(): (edit: (views: readonly RunView[]) => RunView[]) => Promise<void> {
  const client = useQueryClient();
  return async (edit) => {
    for (let tries = 1; ; tries++) {
      const { views, revision } = await api.auth.run_views({});
      try {
        const changed = await api.auth.put_run_views({ body: { views: edit(views), revision } });
        client.setQueryData(savedViewsQuery.queryKey, changed);
        return;
      } catch (error) {
        if (tries === MAX_TRIES || !(error instanceof EverstepError) || error.code !== 'conflict') throw error;
      }
    }
  };
}
