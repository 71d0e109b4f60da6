import type { Handlers } from '../../../mixins/service';
import type { StartRun } from '../../../mixins/start-run';
import type { App } from '../../app';
import { createDeliveryLogIndexes, deliveryLogModels } from './models';
import { ownWorkflow } from './own-workflow';
import { recordsOf, toDetail, toRow } from './record';
import { redelivery } from './redelivery';
import { DeliveryLog } from './store';
import { pageOf } from '../../../lib/page';

type Actions = Pick<Handlers<'channels'>, 'deliveries' | 'delivery' | 'redeliver' | 'keep_deliveries' | 'purge'>;

/** The webhook delivery log: requests to workflows, accepted or refused, that users can inspect and send again. */
export function deliveryLog(app: App, starts: StartRun): { actions: Actions; createIndexes: () => Promise<void> } {
  const models = deliveryLogModels(app.db);
  const log = new DeliveryLog(models);
  const redeliver = redelivery(app, log, starts);

  const actions: Actions = {
    async deliveries(ctx) {
      const { params, tenantId } = ctx;
      await ownWorkflow(ctx, params.id);
      const { cursor: before, outcome, source } = params;
      const { limit, offset } = pageOf(params);
      const found = await log.list(tenantId, params.id, { limit: limit + 1, offset, before, outcome, source });
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
    /** Drops deliveries to unknown workflows. */
    async keep_deliveries({ params, call }) {
      const ids = [...new Set(params.deliveries.map(({ workflow_id }) => workflow_id))];
      const found = await Promise.all(ids.map(async (id) => [id, await starts.find(call, id)] as const));
      const workflows = new Map(found);
      const records = params.deliveries.flatMap((seen) => {
        const workflow = workflows.get(seen.workflow_id) ?? null;
        return workflow === null ? [] : [recordsOf(seen, workflow)];
      });
      await log.add(records);
      return { kept: records.length };
    },
    purge: ({ params, tenantId }) => log.purge(tenantId, params.workflow_id),
  };
  return { actions, createIndexes: () => createDeliveryLogIndexes(models) };
}
