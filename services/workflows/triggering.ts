import { derivedId } from '../../lib/ids';
import {
  assertRunnable,
  assertSameInput,
  assertSecretsExist,
  startExecution,
  startParams,
} from '../../mixins/admission';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { StartedView } from '../executor/contract';
import { missingSecrets } from './editing';
import type { Startables } from './startable';
import { notFound } from './store';

/**
 * Starts a workflow by hand. An idempotency key names the execution: the second start with it finds the first.
 * @throws AppError not_found, workflow_disabled, workflow_pending, unknown_secret, idempotency_mismatch
 */
export const triggering = (app: App, startables: Startables) => ({
  async trigger(ctx: ActionContext<'workflows.trigger'>): Promise<StartedView> {
    const { params, tenantId, call, requestId } = ctx;
    const workflow = await startables.get(params.id);
    if (workflow === null || workflow.tenant_id !== tenantId) throw notFound(params.id);
    assertRunnable(workflow);
    if (workflow.secrets.length > 0) assertSecretsExist(await missingSecrets(call, tenantId)(workflow.secrets));
    const key = params.idempotency_key ?? undefined;
    const started = await startExecution(
      app,
      call,
      tenantId,
      startParams(
        workflow,
        {
          type: 'manual',
          trigger: params.trigger,
          input: params.trigger,
          executionId: key === undefined ? undefined : derivedId(app.keys.ids, 'start', tenantId, workflow.id, key),
          requestId,
        },
        app.clock.now(),
      ),
    );
    assertSameInput(started, params.trigger);
    return started.replayed ? { ...started.execution, replayed: true } : started.execution;
  },
});
