import type { Query } from '@tanstack/react-query';
import { type KeyPrefix, RefreshQueue } from '../model/refresh-queue';
import { queryClient } from './queries';

/** Fetches again what the page shows, at most once a second. */
export const refreshes = new RefreshQueue({
  now: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  isHidden: () => document.hidden,
  refresh,
});
document.addEventListener('visibilitychange', () => refreshes.resume());

function refresh(keys: readonly KeyPrefix[]): readonly KeyPrefix[] {
  const cache = queryClient.getQueryCache();
  const [busy, wanted] = [new Set<Query>(), new Set<Query>()];
  for (const queryKey of keys) {
    for (const query of cache.findAll({ queryKey, type: 'active' })) {
      if (isScrolled(query) || (queryKey.length === 1 && isOver(query))) continue;
      (query.state.fetchStatus === 'fetching' ? busy : wanted).add(query);
    }
    // What is not shown now is fetched when it is.
    void queryClient.invalidateQueries({ queryKey, type: 'inactive', refetchType: 'none' });
  }
  void queryClient.refetchQueries({ predicate: (query) => wanted.has(query) }, { cancelRefetch: false });
  return [...busy].map(({ queryKey }) => queryKey);
}

/** A list that has been scrolled is not fetched again: all of its pages would be, and move under the reader. */
const isScrolled = ({ state: { data } }: Query): boolean =>
  typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages) && data.pages.length > 1;

/** Whether it is about a run whose end was known before it was fetched: nothing of it changes. */
function isOver({ queryKey: [resource, id], state }: Query): boolean {
  const run = resource === 'runs' ? queryClient.getQueryState(['runs', id, 'summary']) : undefined;
  const data: unknown = run?.data;
  const hasEnded = typeof data === 'object' && data !== null && 'status' in data && data.status !== 'running';
  return hasEnded && run !== undefined && state.dataUpdatedAt >= run.dataUpdatedAt;
}
