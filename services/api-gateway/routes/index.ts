import { accountRoutes } from './accounts';
import { aiRoutes } from './ai';
import { auditRoutes } from './audit';
import { billingRoutes } from './billing';
import { chatRoutes } from './chat';
import { connectionRoutes } from './connections';
import { deliveryRoutes } from './deliveries';
import { connectorRoutes } from './connectors';
import { docsRoutes } from './docs';
import { executionRoutes } from './executions';
import { fileRoutes } from './files';
import { knowledgeRoutes } from './knowledge';
import { messagingRoutes } from './messaging';
import { nodeTypeRoutes } from './node-types';
import { organizationRoutes } from './organizations';
import { providerRoutes } from './providers';
import { publicRoutes } from './public';
import type { Route } from './route';
import { secretRoutes } from './secrets';
import { skillRoutes } from './skills';
import { ssoRoutes } from './sso';
import { systemRoutes } from './system';
import { teamRoutes } from './team';
import { variableRoutes } from './variables';
import { workflowRoutes } from './workflows';

/** Every route that there is. */
export const ROUTES: readonly Route[] = [
  ...publicRoutes,
  ...messagingRoutes,
  ...workflowRoutes,
  ...deliveryRoutes,
  ...chatRoutes,
  ...executionRoutes,
  ...fileRoutes,
  ...nodeTypeRoutes,
  ...connectorRoutes,
  ...aiRoutes,
  ...knowledgeRoutes,
  ...skillRoutes,
  ...accountRoutes,
  ...teamRoutes,
  ...billingRoutes,
  ...organizationRoutes,
  ...providerRoutes,
  ...secretRoutes,
  ...connectionRoutes,
  ...variableRoutes,
  ...ssoRoutes,
  ...auditRoutes,
  ...systemRoutes,
  ...docsRoutes,
];
