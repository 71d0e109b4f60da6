import { NO_TENANT } from '../../../mixins/principal';
import type { ActionContext } from '../../../mixins/service';
import type { SeenDelivery } from '../contract';
import { recordsOf } from './record';
import type { Inbox } from './store';

/** Keeps what gateways have seen; what was sent to workflows that do not exist is nobody's. Answers how much was kept. */
export const keeping =
  (inbox: Inbox) =>
  async ({ params, call }: ActionContext<'channels.keep_deliveries'>): Promise<{ kept: number }> => {
    const ids = [...new Set(params.deliveries.map(({ workflow_id }) => workflow_id))];
    const found = await Promise.all(
      ids.map(async (id) => [id, await call('workflows.startable', { id }, { asServiceOf: NO_TENANT })] as const),
    );
    const workflows = new Map(found);
    const records = params.deliveries.flatMap((seen: SeenDelivery) => {
      const workflow = workflows.get(seen.workflow_id) ?? null;
      return workflow === null ? [] : [recordsOf(seen, workflow)];
    });
    await inbox.add(records);
    return { kept: records.length };
  };
