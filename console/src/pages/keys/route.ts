import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam } from '../../model/search-params';

export const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/keys',
  /** `workflow`: the id of the workflow whose keys are shown. */
  validateSearch: (search: Search): { workflow?: string } => ({ workflow: textParam(search, 'workflow') }),
  component: lazyPage(() => import('./keys-page'), 'KeysPage'),
});
