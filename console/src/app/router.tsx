import { createRouter } from '@tanstack/react-router';
import { alertsRoute } from '../pages/alerts/route';
import { approvalsRoute } from '../pages/approvals/route';
import { auditRoute } from '../pages/audit/route';
import { brandingRoute } from '../pages/branding/route';
import { chatsRoute } from '../pages/chats/route';
import { playgroundRoute } from '../pages/playground/route';
import { connectedRoute, connectionsRoute } from '../pages/connections/route';
import { connectorsRoute } from '../pages/connectors/route';
import { datasetRoute, datasetsRoute } from '../pages/datasets/route';
import { deliveriesRoute } from '../pages/deliveries/route';
import { devUiRoute } from '../pages/dev-ui/route';
import { editorRoute } from '../pages/editor/route';
import { compareRoute, evaluationRoute, evaluationsRoute, newEvaluationRoute } from '../pages/evaluations/routes';
import { homeRoute } from '../pages/home/route';
import { keysRoute } from '../pages/keys/route';
import { membersRoute } from '../pages/members/route';
import { knowledgeBaseRoute, knowledgeRoute } from '../pages/knowledge/routes';
import { queuesRoute } from '../pages/queues/route';
import { runCompareRoute } from '../pages/run-compare/route';
import { runRoute } from '../pages/run/route';
import { runsRoute } from '../pages/runs/route';
import { schedulesRoute } from '../pages/schedules/route';
import { skillRoute, skillsRoute } from '../pages/skills/routes';
import { singleSignOnRoute } from '../pages/single-sign-on/route';
import { settingsRoute } from '../pages/settings/route';
import { signInRoutes } from '../pages/sign-in/routes';
import { systemRoute } from '../pages/system/route';
import { usageRoute } from '../pages/usage/route';
import { variablesRoute } from '../pages/variables/route';
import { workflowsRoute } from '../pages/workflows/route';
import { Crash } from './crash';
import { lazyPage } from './lazy-page';
import { rootRoute, shellRoute } from './root-routes';

/** Every page. A page behind the sign-in is a child of `shellRoute`. */
const routeTree = rootRoute.addChildren([
  shellRoute.addChildren([
    homeRoute,
    workflowsRoute,
    editorRoute,
    runsRoute,
    runRoute,
    runCompareRoute,
    approvalsRoute,
    schedulesRoute,
    queuesRoute,
    alertsRoute,
    deliveriesRoute,
    chatsRoute,
    playgroundRoute,
    connectionsRoute,
    connectedRoute,
    evaluationsRoute,
    newEvaluationRoute,
    evaluationRoute,
    compareRoute,
    datasetsRoute,
    datasetRoute,
    knowledgeRoute,
    knowledgeBaseRoute,
    variablesRoute,
    usageRoute,
    connectorsRoute,
    skillsRoute,
    skillRoute,
    keysRoute,
    auditRoute,
    membersRoute,
    settingsRoute,
    systemRoute,
    brandingRoute,
    singleSignOnRoute,
    devUiRoute,
  ]),
  ...signInRoutes,
]);

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: Crash,
  defaultNotFoundComponent: lazyPage(() => import('./not-found'), 'NotFound'),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
