import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam } from '../../model/search-params';

/** `test`: the id of the test whose report is shown. */
export const singleSignOnRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/single-sign-on',
  validateSearch: (search: Search): { test?: string } => ({ test: textParam(search, 'test') }),
  component: lazyPage(() => import('./single-sign-on-page'), 'SingleSignOnPage'),
});
