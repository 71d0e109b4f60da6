import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyPage(() => import('./home-page'), 'HomePage'),
});
