import { auditContract } from '../../contracts/audit';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { createEgress, parseEgressAllow } from '../../lib/egress';
import { auditModels } from '../../mixins/audit/model';
import { KeyRotation } from '../../mixins/key-rotation';
import { Runner } from '../../mixins/leased-work/runner';
import { defineService, type ServiceContext } from '../../mixins/service';
import { type App, appOf } from '../app';
import { listEvents } from './list';
import { streamActions } from './stream/actions';
import { sendEvents, wakeStreams } from './stream/delivery';
import { sealedStreams, streamModel } from './stream/models';
import { parseAnchor, verify } from './verify';
import { DEFAULT_PAGE_ROWS, pageOf } from '../../lib/page';
import { OPERATORS_LOG } from '../../mixins/audit/operators';
import { createIndexes } from '../../lib/indexes';

/** Streams that send at the same time. */
const CONCURRENCY = 16;

/** Lists, verifies and sends the audit log that all services write. Events are never changed or deleted. */
export const auditService = (app: App): ServiceSchema => {
  const models = auditModels(app.db);
  const streams = streamModel(app.db);
  const egress = createEgress({ allow: parseEgressAllow(app.config.egressAllow) });
  const rotation = new KeyRotation(app, [sealedStreams(streams, app.keyring)]);
  let service: ServiceContext;
  const runner = new Runner({
    model: streams,
    noun: 'audit streams',
    clock: app.clock,
    concurrency: CONCURRENCY,
    fence: [],
    process: sendEvents({ app, events: models.events, streams, egress }),
    warn: (message, fault) => service.log.warn(message, fault),
  });

  return defineService(app, auditContract, {
    handlers: {
      async list({ params, tenantId }) {
        const page = pageOf(params);
        return { ...(await listEvents(models.events, tenantId, { ...params, ...page })), ...page };
      },
      operator_list: ({ params }) =>
        listEvents(models.events, OPERATORS_LOG, { limit: DEFAULT_PAGE_ROWS, ...params, offset: 0 }),
      verify: ({ params: { from_seq = 1, anchor }, tenantId }) =>
        verify(
          { models, key: app.keys.audit, tenant: tenantId },
          from_seq,
          anchor === undefined ? null : parseAnchor(anchor),
        ),
      ...streamActions({ app, streams, events: models.events, egress, wake: () => runner.kick() }),
    },
    events: {
      'audit.appended': {
        handle: ({ tenant_ids }) =>
          void wakeStreams(streams, tenant_ids, app.clock.now()).then(
            (woken) => woken > 0 && runner.kick(),
            (fault: unknown) =>
              service.log.warn('Audit streams could not be woken; their next poll finds the events', fault),
          ),
      },
    },
    async started(context) {
      service = context;
      await createIndexes(models.events, streams);
      rotation.start(context);
      await runner.start(app.exclusive);
    },
    async stopped() {
      await Promise.all([rotation.stop(), runner.stop()]);
      await egress.close();
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => auditService(appOf(broker));
