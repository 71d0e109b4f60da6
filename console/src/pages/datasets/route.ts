import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { textParams } from '../../model/search-params';

export const datasetsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/datasets',
  component: lazyPage(() => import('./datasets-page'), 'DatasetsPage'),
});

/** `row`: the id of the row in the panel; `add`: what is added in it, `row` or `runs`. */
export const datasetRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/datasets/$id',
  validateSearch: textParams('tag', 'row', 'add'),
  component: lazyPage(() => import('./dataset-page'), 'DatasetPage'),
});
