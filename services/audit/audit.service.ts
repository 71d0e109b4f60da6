import { auditContract } from '../../contracts/audit';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { auditModels } from '../../mixins/audit/model';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { page } from './list';
import { anchorOf, verify } from './verify';
import { pageOf } from '../../lib/page';
import { createIndexes } from '../../lib/indexes';

/** Reads the log that every service writes. Nothing here, or anywhere, changes an event or takes one away. */
export const auditService = (app: App): ServiceSchema => {
  const models = auditModels(app.db);

  return defineService(app, auditContract, {
    handlers: {
      async list({ params: { limit: rows, offset: from, ...asked }, tenantId }) {
        const { limit, offset } = pageOf({ limit: rows, offset: from });
        const { data, next } = await page(models.events, tenantId, { limit, offset, ...asked });
        return { data, limit, offset, next_cursor: next };
      },
      verify: ({ params: { from_seq = 1, anchor }, tenantId }) =>
        verify(
          { models, key: app.keys.audit, tenant: tenantId },
          from_seq,
          anchor === undefined ? null : anchorOf(anchor),
        ),
    },
    async started() {
      await createIndexes(models.events);
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => auditService(appOf(broker));
