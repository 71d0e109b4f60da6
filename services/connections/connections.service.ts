import { connectionsContract } from '../../contracts/connections';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { KeyRotation } from '../../mixins/key-rotation';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { accountActions } from './actions/accounts';
import { browserActions } from './actions/browser';
import { flowActions } from './actions/flows';
import { connectionParts } from './parts';
import { sealedConnections } from './vault';
import { createIndexes } from '../../lib/indexes';

/** Provider accounts of tenants: connected by OAuth or manually, stored encrypted, refreshed in time, and used by steps. */
export const connectionsService = (app: App): ServiceSchema => {
  const parts = connectionParts(app);
  const { connections, claims, uses } = parts.models;
  const rotation = new KeyRotation(app, [sealedConnections(connections, parts.vault)]);

  return defineService(app, connectionsContract, {
    handlers: { ...flowActions(parts), ...browserActions(parts), ...accountActions(parts) },
    async started(context) {
      await createIndexes(connections, claims, uses);
      parts.started(context);
      rotation.start(context);
    },
    async stopped() {
      await Promise.all([rotation.stop(), parts.close()]);
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => connectionsService(appOf(broker));
