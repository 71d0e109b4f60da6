import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam } from '../../model/search-params';

/** As the API names them. */
export interface AuditFilters {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  /** `open`: the id of the event whose details are shown. */
  validateSearch: (search: Search): AuditFilters & { readonly open?: string | undefined } => ({
    actor: textParam(search, 'actor'),
    action: textParam(search, 'action'),
    target: textParam(search, 'target'),
    from: textParam(search, 'from'),
    to: textParam(search, 'to'),
    open: textParam(search, 'open'),
  }),
  component: lazyPage(() => import('./audit-page'), 'AuditPage'),
});
