import type { ServiceSchema } from 'moleculer';
import { createEgress, parseEgressAllow } from '../../lib/egress';
import { AppError } from '../../lib/errors';
import { auditedBy, recordedBy } from '../../mixins/audit';
import { defineService, type ServiceContext } from '../../mixins/service';
import { connectors, connectorsByName } from '../../nodes/connectors';
import { IMPORTED_PREFIX, importedAction } from '../../nodes/connectors/imported';
import type { App } from '../app';
import { importing } from './importing';
import { importedModel } from './models';
import { ImportedStore } from './store';
import { importedView, viewOf } from './view';

/** What the keys of caches of imported actions begin with, in `cache.stale`; then `<tenant>:<type>`. */
const IMPORTED = 'connectors.imported:';
/** Keys in one hint. */
const MOST_KEYS = 500;

const name = { type: 'string', min: 1, max: 100 } as const;

const importParams = {
  name: {
    type: 'string',
    pattern: /^(?!custom-)[a-z][a-z0-9-]{0,49}$/,
    messages: {
      stringPattern:
        "The 'name' must be lower-case letters, digits and hyphens, begin with a letter, and not with custom-, which is put before it.",
    },
  },
  url: { type: 'string', min: 1, max: 8_192, optional: true },
  document: [
    { type: 'string', min: 1, optional: true },
    { type: 'object', optional: true },
  ],
  base_url: { type: 'string', min: 1, max: 2_000, optional: true },
  title: { type: 'string', trim: true, min: 1, max: 200, optional: true },
} as const;

/** What there is to connect to: built-in connectors, and those that tenants have imported. */
export const connectorsService = (app: App): ServiceSchema => {
  let context: ServiceContext;
  const model = importedModel(app.db);
  const egress = createEgress({ allow: parseEgressAllow(app.config.egressAllow) });
  const store = new ImportedStore(model, app.clock, (tenantId, types) => {
    for (let at = 0; at < types.length; at += MOST_KEYS) {
      const patterns = types.slice(at, at + MOST_KEYS).map((type) => `${IMPORTED}${tenantId}:${type}`);
      context.broadcast('cache.stale', { patterns });
    }
  });
  const { importDocument } = importing(app.audit, store, egress);

  return defineService(app, 'connectors', {
    actions: {
      list: {
        access: 'member',
        summary: 'Connectors with their actions, and what they need to know of an account',
        params: { include: { type: 'enum', values: ['schemas'], optional: true } },
        async handle({ params: { include }, tenantId }) {
          const schemas = include === 'schemas';
          const imported = await store.list(tenantId);
          return {
            data: [
              ...connectors.map((connector) => viewOf(connector, schemas)),
              ...imported.map((connector) => importedView(connector, schemas)),
            ],
          };
        },
      },
      get: {
        access: 'member',
        summary: 'One connector, with the schemas of its actions',
        params: { name },
        async handle({ params, tenantId }) {
          const built = connectorsByName.get(params.name);
          if (built !== undefined) return viewOf(built, true);
          const imported = params.name.startsWith(IMPORTED_PREFIX) ? await store.find(tenantId, params.name) : null;
          if (imported === null) throw new AppError('not_found', `There is no connector ${params.name}`);
          return importedView(imported, true);
        },
      },
      import: {
        access: 'admin',
        summary: 'Makes a connector of the description of an API',
        params: importParams,
        handle: importDocument,
      },
      remove: {
        access: 'admin',
        summary: 'Forgets an imported connector',
        params: { name },
        async handle(ctx) {
          if (connectorsByName.has(ctx.params.name))
            throw new AppError('conflict', `${ctx.params.name} is built in; only imported connectors can be deleted`);
          await store.remove(ctx.tenantId, ctx.params.name, recordedBy(app.audit, auditedBy(ctx)));
        },
      },
      imported_all: {
        access: 'internal',
        summary: 'Imported connectors',
        params: {},
        handle: async ({ tenantId }) => ({ data: await store.list(tenantId) }),
      },
      imported: {
        access: 'internal',
        summary: 'An imported connector, unless its revision is known',
        params: { name, known: { type: 'number', integer: true, optional: true } },
        async handle({ params, tenantId }) {
          const found = await store.find(tenantId, params.name);
          if (found === null) return null;
          return { revision: found.revision, connector: found.revision === params.known ? null : found };
        },
      },
      imported_action: {
        access: 'internal',
        summary: 'What the step type of an imported connector stands for',
        params: { type: { type: 'string', min: 1, max: 200 } },
        async handle({ params: { type }, tenantId }) {
          const wanted = importedAction(type);
          const found = wanted === null ? null : await store.find(tenantId, wanted.connector);
          const action = found?.actions.find((each) => each.name === wanted?.action);
          if (found === null || action === undefined) return null;
          const { actions: _actions, ...head } = found;
          return { head, action };
        },
      },
    },
    async started(given) {
      context = given;
      await model.createIndexes();
    },
    stopped: () => egress.close(),
  });
};
