import type { ConnectorView } from '../../contracts/connectors';
import { connectorsContract } from '../../contracts/connectors';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { createEgress, parseEgressAllow } from '../../lib/egress';
import { AppError } from '../../lib/errors';
import { TimeSlice } from '../../lib/time-slices';
import { auditedBy, recordedBy } from '../../mixins/audit';
import { defineService, type ServiceContext } from '../../mixins/service';
import { connectors, connectorsByName } from '../../nodes/connectors';
import { IMPORTED_PREFIX, importedAction } from '../../nodes/connectors/imported';
import { type App, appOf } from '../app';
import { importing } from './importing';
import { importedModel } from './models';
import { ImportedStore } from './store';
import { importedView, viewOf } from './view';
import { catalogueOf } from '../../lib/page';
import { createIndexes } from '../../lib/indexes';

/** Prefix of the cache keys of imported actions in `cache.stale`, followed by `<tenant>:<type>`. */
const IMPORTED = 'connectors.imported:';

/** What there is to connect to: built-in connectors, and those that tenants have imported. */
export const connectorsService = (app: App): ServiceSchema => {
  let context: ServiceContext;
  const model = importedModel(app.db);
  const egress = createEgress({ allow: parseEgressAllow(app.config.egressAllow) });
  const store = new ImportedStore(model, app.clock, (tenantId, types) =>
    context.invalidate(...types.map((type) => `${IMPORTED}${tenantId}:${type}`)),
  );
  const { importDocument, previewImport } = importing(app.audit, store, egress, app.compute);

  return defineService(app, connectorsContract, {
    handlers: {
      async list({ params: { include, ...asked }, tenantId }) {
        const schemas = include === 'schemas';
        const names = await store.names(tenantId);
        const { data, ...page } = catalogueOf([...connectors, ...names], asked);
        const views: ConnectorView[] = [];
        const slice = new TimeSlice(tenantId);
        for (const connector of data) {
          if (slice.due) await slice.pause();
          if (typeof connector !== 'string') views.push(viewOf(connector, schemas));
          else {
            const imported = await store.find(tenantId, connector);
            if (imported !== null) views.push(importedView(imported, schemas));
          }
        }
        return { data: views, ...page };
      },
      async get({ params, tenantId }) {
        const built = connectorsByName.get(params.name);
        if (built !== undefined) return viewOf(built, true);
        const imported = params.name.startsWith(IMPORTED_PREFIX) ? await store.find(tenantId, params.name) : null;
        if (imported === null) throw new AppError('not_found', `There is no connector ${params.name}`);
        return importedView(imported, true);
      },
      import: importDocument,
      preview_import: previewImport,
      async remove(ctx) {
        if (connectorsByName.has(ctx.params.name))
          throw new AppError('conflict', `${ctx.params.name} is built in; only imported connectors can be deleted`);
        await store.remove(ctx.tenantId, ctx.params.name, recordedBy(app.audit, auditedBy(ctx)));
      },
      imported_all: async ({ tenantId }) => ({ data: await store.list(tenantId) }),
      async imported({ params, tenantId }) {
        const found = await store.find(tenantId, params.name);
        if (found === null) return null;
        return { revision: found.revision, connector: found.revision === params.known ? null : found };
      },
      async imported_action({ params: { type }, tenantId }) {
        const wanted = importedAction(type);
        const found = wanted === null ? null : await store.find(tenantId, wanted.connector);
        const action = found?.actions.find((each) => each.name === wanted?.action);
        if (found === null || action === undefined) return null;
        const { actions: _actions, ...head } = found;
        return { head, action };
      },
    },
    async started(given) {
      context = given;
      await createIndexes(model);
    },
    stopped: () => egress.close(),
  });
};

export default (broker: ServiceBroker): ServiceSchema => connectorsService(appOf(broker));
