import { AppError, errorCode, ERRORS, errorMessage } from '../../lib/errors';
import { assertRunnable, assertSecretsExist, startExecution, startParams } from '../../mixins/admission';
import type { ServiceContext } from '../../mixins/service';
import type { ActorDeps, ChildStart, ChildStarted } from '../../runtime/actor/deps';
import type { App } from '../app';
import type { Call } from '../catalogue';

/** Starts runs that steps of other runs ask for, at any host. What surely cannot be started is refused in words. */
export const childStarter =
  (app: App, { call }: Pick<ServiceContext, 'call'>): ActorDeps['startChild'] =>
  async (child): Promise<ChildStarted> => {
    try {
      await start(app, call, child);
      return { kind: 'started' };
    } catch (fault) {
      const code = errorCode(fault);
      // Nobody knows whether it has happened: it is asked again.
      if (code === undefined || ERRORS[code].status >= 500) throw fault;
      return {
        kind: 'refused',
        error: { code, message: errorMessage(fault) },
        retryable: ERRORS[code].retryable,
      };
    }
  };

/** Calls that belong to a span. */
const within = (call: Call, traceparent: string | null): Call =>
  traceparent === null ? call : (action, params, options) => call(action, params, { ...options, trace: traceparent });

async function start(app: App, call: ServiceContext['call'], child: ChildStart): Promise<void> {
  const asService = { asServiceOf: child.tenantId };
  const workflow = await call('workflows.startable_for', { workflow: child.workflow }, asService);
  if (workflow === null) throw new AppError('not_found', `There is no workflow ${child.workflow}`);
  assertRunnable(workflow);
  if (workflow.secrets.length > 0) {
    assertSecretsExist((await call('secrets.missing', { names: workflow.secrets }, asService)).names);
  }
  const params = startParams(
    workflow,
    {
      type: 'sub_workflow',
      trigger: child.input,
      input: child.input,
      executionId: child.executionId,
      ...(child.requestId === null ? {} : { requestId: child.requestId }),
    },
    app.clock.now(),
  );
  const { executionId, path, awaited } = child.parent;
  await startExecution(app, within(call, child.traceparent), child.tenantId, {
    ...params,
    parent: { execution_id: executionId, path, awaited },
    depth: child.depth,
  });
}
