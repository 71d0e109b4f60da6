import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam } from '../../model/search-params';

interface ConnectionsSearch {
  /** `apps` shows OAuth apps instead of connections. */
  readonly show?: string;
  /** The connection in the panel; the OAuth app where apps are shown. */
  readonly open?: string;
  /** The panel that connects an account: a connector whose providers are shown, or `any`. */
  readonly connect?: string;
  /** The form that registers an app: the id of a preset, or `other`. */
  readonly register?: string;
}

export const connectionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/connections',
  validateSearch: (search: Search): ConnectionsSearch => ({
    show: textParam(search, 'show'),
    open: textParam(search, 'open'),
    connect: textParam(search, 'connect'),
    register: textParam(search, 'register'),
  }),
  component: lazyPage(() => import('./connections-page'), 'ConnectionsPage'),
});

/** Where the window comes back to in which an account was connected from another page. */
export const connectedRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/connections/done/$attempt',
  component: lazyPage(() => import('./connected-page'), 'ConnectedPage'),
});
