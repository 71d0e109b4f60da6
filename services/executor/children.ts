import { AppError, errorCode, ERRORS, errorMessage } from '../../lib/errors';
import type { ServiceContext } from '../../mixins/service';
import type { StartRun } from '../../mixins/start-run';
import type { ActorDeps, ChildStart, ChildStarted } from '../../runtime/execution/deps';
import type { Call } from '../../contracts/catalogue';

/** Starts runs that steps of other runs ask for, at any host. A refused start is returned as a value. */
export const childStarter =
  (starts: StartRun, { call }: Pick<ServiceContext, 'call'>): ActorDeps['startChild'] =>
  async (child): Promise<ChildStarted> => {
    try {
      await start(starts, call, child);
      return { kind: 'started' };
    } catch (fault) {
      const code = errorCode(fault);
      // The outcome is unknown, so the step repeats the start.
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

async function start(starts: StartRun, call: Call, child: ChildStart): Promise<void> {
  const workflow = await starts.findOwn(call, child.tenantId, child.workflow);
  if (workflow === null) throw new AppError('not_found', `There is no workflow ${child.workflow}`);
  await starts.authorize(call, workflow);
  const { executionId, path, awaited } = child.parent;
  await starts.start(within(call, child.traceparent), workflow, {
    type: 'sub_workflow',
    trigger: child.input,
    executionId: child.executionId,
    requestId: child.requestId ?? undefined,
    parent: { execution_id: executionId, path, awaited },
    depth: child.depth,
  });
}
