import { createRoute } from '@tanstack/react-router';
import type { StepStatus } from '../../api/client';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

const RUN_TABS = ['timeline', 'graph', 'steps', 'logs', 'data', 'files'] as const;
export type RunTab = (typeof RUN_TABS)[number];

const STEP_STATUSES = [
  'cancelled',
  'completed',
  'failed',
  'pending',
  'retrying',
  'running',
  'skipped',
  'waiting',
] as const satisfies readonly StepStatus[];

export const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/runs/$id',
  validateSearch: (search: Search): { tab?: RunTab; step?: string; in?: string; status?: StepStatus } => ({
    tab: wordParam(search, 'tab', RUN_TABS),
    step: textParam(search, 'step'),
    in: textParam(search, 'in'),
    status: wordParam(search, 'status', STEP_STATUSES),
  }),
  component: lazyPage(() => import('./run-page'), 'RunPage'),
});
