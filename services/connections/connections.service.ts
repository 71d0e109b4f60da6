import { connectionsContract } from '../../contracts/connections';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { KeyRotation } from '../../mixins/key-rotation';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { accountActions } from './actions/accounts';
import { browserActions } from './actions/browser';
import { flowActions } from './actions/flows';
import { createConnectionDeps } from './deps';
import { sealedConnections } from './vault';
import { createIndexes } from '../../lib/indexes';

/** Provider accounts of tenants: connected by OAuth or manually, stored encrypted, refreshed in time, and used by steps. */
export const connectionsService = (app: App): ServiceSchema => {
  const deps = createConnectionDeps(app);
  const { connections, claims, uses } = deps.models;
  const rotation = new KeyRotation(app, [sealedConnections(connections, deps.vault)]);

  return defineService(app, connectionsContract, {
    handlers: { ...flowActions(deps), ...browserActions(deps), ...accountActions(deps) },
    async started(context) {
      await createIndexes(connections, claims, uses);
      deps.onStarted(context);
      rotation.start(context);
    },
    async stopped() {
      await Promise.all([rotation.stop(), deps.close()]);
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => connectionsService(appOf(broker));
