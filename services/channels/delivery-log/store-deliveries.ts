import type { ActionContext } from '../../../mixins/service';
import type { StartRun } from '../../../mixins/start-run';
import type { SeenDelivery } from '../../../contracts/channels/views';
import { recordsOf } from './record';
import type { DeliveryLog } from './store';

/** Stores deliveries that gateways have received; those to unknown workflows are dropped. Returns the number of stored ones. */
export const storeDeliveries =
  (log: DeliveryLog, starts: StartRun) =>
  async ({ params, call }: ActionContext<'channels.keep_deliveries'>): Promise<{ kept: number }> => {
    const ids = [...new Set(params.deliveries.map(({ workflow_id }) => workflow_id))];
    const found = await Promise.all(ids.map(async (id) => [id, await starts.find(call, id)] as const));
    const workflows = new Map(found);
    const records = params.deliveries.flatMap((seen: SeenDelivery) => {
      const workflow = workflows.get(seen.workflow_id) ?? null;
      return workflow === null ? [] : [recordsOf(seen, workflow)];
    });
    await log.add(records);
    return { kept: records.length };
  };
