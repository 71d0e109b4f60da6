import { auditContract } from '../../contracts/audit';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { auditModels } from '../../mixins/audit/model';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { listEvents } from './list';
import { parseAnchor, verify } from './verify';
import { pageOf } from '../../lib/page';
import { createIndexes } from '../../lib/indexes';

/** Lists and verifies the audit log that all services write. Events are never changed or deleted. */
export const auditService = (app: App): ServiceSchema => {
  const models = auditModels(app.db);

  return defineService(app, auditContract, {
    handlers: {
      async list({ params, tenantId }) {
        const page = pageOf(params);
        return { ...(await listEvents(models.events, tenantId, { ...params, ...page })), ...page };
      },
      verify: ({ params: { from_seq = 1, anchor }, tenantId }) =>
        verify(
          { models, key: app.keys.audit, tenant: tenantId },
          from_seq,
          anchor === undefined ? null : parseAnchor(anchor),
        ),
    },
    async started() {
      await createIndexes(models.events);
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => auditService(appOf(broker));
