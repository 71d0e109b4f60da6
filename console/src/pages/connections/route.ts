import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

interface ConnectionsSearch {
  readonly show?: 'apps';
  /** The connection in the panel. */
  readonly open?: string;
  /** The OAuth app in the panel. */
  readonly app?: string;
  /** The panel that connects an account: a connector whose providers are shown, or `any`. */
  readonly connect?: string;
  /** The form that registers an app: the id of a preset, or `other`. */
  readonly register?: string;
}

export const connectionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/connections',
  validateSearch: (search: Search): ConnectionsSearch => ({
    show: wordParam(search, 'show', ['apps']),
    open: textParam(search, 'open'),
    app: textParam(search, 'app'),
    connect: textParam(search, 'connect'),
    register: textParam(search, 'register'),
  }),
  component: lazyPage(() => import('./connections-page'), 'ConnectionsPage'),
});
