import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { textParams } from '../../model/search-params';

export const evaluationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/evaluations',
  validateSearch: textParams('workflow'),
  component: lazyPage(() => import('./evaluations-page'), 'EvaluationsPage'),
});

export const newEvaluationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/evaluations/new',
  validateSearch: textParams('workflow', 'dataset'),
  component: lazyPage(() => import('./new-evaluation-page'), 'NewEvaluationPage'),
});

/** `row`: the id of the row in the panel. */
export const evaluationRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/evaluations/$id',
  validateSearch: textParams('outcome', 'metric', 'sort', 'row'),
  component: lazyPage(() => import('./evaluation-page'), 'EvaluationPage'),
});

export const compareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/evaluations/$id/compare/$other',
  component: lazyPage(() => import('./compare-page'), 'ComparePage'),
});
