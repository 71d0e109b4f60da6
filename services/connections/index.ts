import type { ServiceSchema } from 'moleculer';
import { Rotation } from '../../mixins/keys/rotation';
import { defineService } from '../../mixins/service';
import type { App } from '../app';
import { accountMenu } from './menu/accounts';
import { browserMenu } from './menu/browser';
import { flowMenu } from './menu/flows';
import { connectionParts } from './parts';
import { sealedConnections } from './vault';

/** Accounts of tenants at providers: connected in a browser or by hand, kept sealed, renewed in time, lent to steps. */
export const connectionsService = (app: App): ServiceSchema => {
  const parts = connectionParts(app);
  const { connections, claims, uses } = parts.models;
  const rotation = new Rotation(app, [sealedConnections(connections, parts.vault)]);

  return defineService(app, 'connections', {
    actions: { ...flowMenu(parts), ...browserMenu(parts), ...accountMenu(parts) },
    async started(context) {
      await Promise.all([connections.createIndexes(), claims.createIndexes(), uses.createIndexes()]);
      parts.started(context);
      rotation.start(context);
    },
    async stopped() {
      await Promise.all([rotation.stop(), parts.close()]);
    },
  });
};
