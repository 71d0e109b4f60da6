import type { Handlers } from '../../../mixins/service';
import type { StartRun } from '../../../mixins/start-run';
import type { App } from '../../app';
import { storeDeliveries } from './store-deliveries';
import { createDeliveryLogIndexes, deliveryLogModels } from './models';
import { ownWorkflow } from './own-workflow';
import { toDetail, toRow } from './record';
import { redelivery } from './redelivery';
import { DeliveryLog } from './store';
import { pageOf } from '../../../lib/page';

type Actions = Pick<Handlers<'channels'>, 'deliveries' | 'delivery' | 'redeliver' | 'keep_deliveries' | 'purge'>;

/** What came in for each workflow, whether or not it has started anything: to look at, and to send again. */
export function deliveryLog(app: App, starts: StartRun): { actions: Actions; createIndexes: () => Promise<void> } {
  const models = deliveryLogModels(app.db);
  const log = new DeliveryLog(models);
  const redeliver = redelivery(app, log, starts);
  const keep = storeDeliveries(log, starts);

  const actions: Actions = {
    async deliveries(ctx) {
      const { params, tenantId } = ctx;
      await ownWorkflow(ctx, params.id);
      const { cursor: before, outcome, source } = params;
      const { limit, offset } = pageOf(params);
      const range = { limit: limit + 1, skip: offset };
      const found = await log.list(tenantId, params.id, { ...range, before, outcome, source });
      const data = found.slice(0, limit).map(toRow);
      return { data, limit, offset, next_cursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
    async delivery(ctx) {
      const { params, tenantId } = ctx;
      await ownWorkflow(ctx, params.id);
      const { record, body } = await log.get(tenantId, params.id, params.delivery_id);
      return toDetail(record, body);
    },
    redeliver,
    keep_deliveries: keep,
    purge: ({ params, tenantId }) => log.purge(tenantId, params.workflow_id),
  };
  return { actions, createIndexes: () => createDeliveryLogIndexes(models) };
}
