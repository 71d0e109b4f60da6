import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { textParams } from '../../model/search-params';

/** `show`: `variables` or `secrets`; `open`: the name of the one in the panel; `add`: the form of a new one is open. */
export const variablesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/variables',
  validateSearch: textParams('show', 'open', 'add'),
  component: lazyPage(() => import('./variables-page'), 'VariablesPage'),
});
