import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/root-routes';

export const devUiRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/dev/ui',
  component: lazyRouteComponent(() => import('./dev-ui-page'), 'DevUiPage'),
});
