import { connectionsContract } from '../../contracts/connections';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { KeyRotation } from '../../mixins/key-rotation';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { accountActions } from './actions/accounts';
import { browserActions } from './actions/browser';
import { appActions } from './actions/oauth-apps';
import { flowActions } from './actions/flows';
import { createConnectionDeps } from './deps';
import { sealedApps } from './oauth-apps/app-store';
import { sealedConnections } from './vault';
import { createIndexes } from '../../lib/indexes';

/** Provider accounts of tenants: connected by OAuth or manually, stored encrypted, refreshed in time, and used by steps. */
export const connectionsService = (app: App): ServiceSchema => {
  const deps = createConnectionDeps(app);
  const { connections, apps, claims, uses } = deps.models;
  const rotation = new KeyRotation(app, [
    sealedConnections(connections, deps.vault),
    sealedApps(apps, deps.appSecrets),
  ]);

  return defineService(app, connectionsContract, {
    handlers: { ...flowActions(deps), ...browserActions(deps), ...accountActions(deps), ...appActions(deps) },
    async started(context) {
      await createIndexes(connections, apps, claims, uses);
      deps.onStarted(context);
      rotation.start(context);
    },
    async stopped() {
      await Promise.all([rotation.stop(), deps.close()]);
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => connectionsService(appOf(broker));
