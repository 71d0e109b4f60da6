import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam } from '../../model/search-params';

export const membersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/members',
  /** `open`: the id of the member whose details are shown, `invite`, or `service` for a new service account. */
  validateSearch: (search: Search): { open?: string } => ({ open: textParam(search, 'open') }),
  component: lazyPage(() => import('./members-page'), 'MembersPage'),
});
