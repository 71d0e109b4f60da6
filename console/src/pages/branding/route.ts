import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';

export const brandingRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/branding',
  component: lazyPage(() => import('./branding-page'), 'BrandingPage'),
});
