import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { textParams } from '../../model/search-params';

/** `show`: `registry`; `q`: what is searched in it; `open`: the published skill in the panel; `add`: the form of a new skill. */
export const skillsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/skills',
  validateSearch: textParams('show', 'q', 'open', 'add'),
  component: lazyPage(() => import('./skills-page'), 'SkillsPage'),
});

/** `show`: the tab; `file`: the open file. */
export const skillRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/skills/$id',
  validateSearch: textParams('show', 'file'),
  component: lazyPage(() => import('./skill-page'), 'SkillPage'),
});
