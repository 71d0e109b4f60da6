import type { Handlers, ServiceContext } from '../../../mixins/service';
import type { StartRun } from '../../../mixins/start-run';
import type { TenantEvents } from '../../../mixins/tenant-events';
import type { ParamsOf } from '../../../contracts/catalogue';
import type { App } from '../../app';
import { createDeliveryLogIndexes, deliveryLogModels } from './models';
import { ownWorkflow } from './own-workflow';
import { recordsOf, toDetail, toRow } from './record';
import { redelivery } from './redelivery';
import { DeliveryLog, type Visible } from './store';
import { pageOf } from '../../../lib/page';

type Actions = Pick<
  Handlers<'channels'>,
  'all_deliveries' | 'deliveries' | 'delivery' | 'redeliver' | 'keep_deliveries' | 'purge'
>;

/** The webhook delivery log: requests to workflows, accepted or refused, that users can inspect and send again. */
export function deliveryLog(
  app: App,
  starts: StartRun,
  events: TenantEvents,
): { actions: Actions; start: (context: ServiceContext) => Promise<void> } {
  let service: ServiceContext | null = null;
  const models = deliveryLogModels(app.db);
  const log = new DeliveryLog(models);
  const redeliver = redelivery(app, log, starts);

  async function pageOfLog(
    tenantId: string,
    workflowId: string | null,
    asked: ParamsOf<'channels.all_deliveries'>,
    visible: Visible = {},
  ) {
    const { cursor: before, outcome, source } = asked;
    const { limit, offset } = pageOf(asked);
    const found = await log.list(tenantId, workflowId, { limit: limit + 1, offset, before, outcome, source, visible });
    const records = found.slice(0, limit);
    return { records, limit, offset, next_cursor: found.length > limit ? (records.at(-1)?._id ?? null) : null };
  }

  const actions: Actions = {
    async all_deliveries({ params, tenantId, call, folders }) {
      const visible = await folders.visible('workflow_id');
      const { records, ...page } = await pageOfLog(tenantId, params.workflow_id ?? null, params, visible);
      const ids = [...new Set(records.map(({ workflow_id }) => workflow_id))];
      const names = new Map(
        await Promise.all(ids.map(async (id) => [id, (await starts.find(call, id))?.name] as const)),
      );
      const data = records.map((record) => ({
        ...toRow(record),
        workflow_id: record.workflow_id,
        workflow_name: names.get(record.workflow_id) ?? '',
      }));
      return { data, ...page };
    },
    async deliveries(ctx) {
      const { params, tenantId } = ctx;
      await ownWorkflow(ctx, params.id);
      const { records, ...page } = await pageOfLog(tenantId, params.id, params);
      return { data: records.map(toRow), ...page };
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
      // One for each workflow, however many its deliveries are.
      for (const [id, workflow] of workflows)
        if (service !== null && workflow !== null)
          events.publish(service, workflow.tenant_id, { event: 'delivery.recorded', workflow_id: id });
      return { kept: records.length };
    },
    purge: ({ params, tenantId }) => log.purge(tenantId, params.workflow_id),
  };
  return {
    actions,
    async start(context) {
      service = context;
      await createDeliveryLogIndexes(models);
    },
  };
}
