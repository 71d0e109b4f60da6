import { derivedId } from '../../lib/ids';
import type { ActionContext } from '../../mixins/service';
import type { StartRun } from '../../mixins/start-run';
import type { App } from '../app';
import type { ExecutionView, StartedView } from '../../contracts/executions/views';
import { notFound } from './store';

/**
 * Starts a workflow by hand. An idempotency key names the execution: the second start with it finds the first.
 * @throws AppError not_found, workflow_disabled, workflow_pending, unknown_secret, idempotency_mismatch
 */
export const manualStart = (app: App, starts: StartRun) => ({
  async trigger({ params, tenantId, call, requestId }: ActionContext<'workflows.trigger'>): Promise<StartedView> {
    const { id, trigger } = params;
    const workflow = await starts.find(call, id);
    if (workflow === null || workflow.tenant_id !== tenantId) throw notFound(id);
    await starts.authorize(call, workflow);
    const key = params.idempotency_key ?? undefined;
    const started = await starts.start(call, workflow, {
      type: 'manual',
      trigger,
      executionId: key === undefined ? undefined : derivedId(app.keys.ids, 'start', tenantId, id, key),
      same: 'trigger',
      record: true,
      requestId,
    });
    const record = started.record as ExecutionView;
    return started.replayed ? { ...record, replayed: true } : record;
  },
});
