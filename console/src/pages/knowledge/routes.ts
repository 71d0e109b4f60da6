import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { textParams } from '../../model/search-params';

/** `add`: the form of a new base is open. */
export const knowledgeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge',
  validateSearch: textParams('add'),
  component: lazyPage(() => import('./knowledge-page'), 'KnowledgePage'),
});

/** `show`: the tab; `open`: the document in the panel; `panel`: a form in it; `q`: what is searched. */
export const knowledgeBaseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge/$id',
  validateSearch: textParams('show', 'open', 'panel', 'q'),
  component: lazyPage(() => import('./base-page'), 'BasePage'),
});
