import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';

export const devUiRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/dev/ui',
  component: lazyPage(() => import('./dev-ui-page'), 'DevUiPage'),
});
