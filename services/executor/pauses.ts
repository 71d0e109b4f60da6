import { AppError } from '../../lib/errors';
import { nullOnConflict } from '../../lib/write-conflict';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { ExecutionView } from '../../contracts/executions/views';
import type { Execution, PauseRequest } from '../../runtime/core/model';
import type { App } from '../app';
import { pauseChange } from './audit-changes';
import type { ExecutionQueries } from './execution-queries';
import { hasEnded, type Messages } from './messages';
import { executionView } from './views';

/** Each pause is an entry in the history of its run. */
const MAX_PAUSES = 1_000;
/** Tries of one request while others change the run. */
const MAX_TRIES = 5;

type PauseContext = ActionContext<'executions.pause' | 'executions.resume'>;

/** Actions that pause and resume runs. Both change nothing in a run that is as requested. */
export const pauseActions = (
  { audit, clock }: Pick<App, 'audit' | 'clock'>,
  executions: ExecutionQueries,
  messages: Messages,
) => {
  /** @throws AppError not_found, execution_ended, conflict */
  async function request(ctx: PauseContext, kind: PauseRequest['kind']): Promise<ExecutionView> {
    const { id, reason = null } = ctx.params;
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const execution = await executions.get(ctx.tenantId, id);
      const next = nextRequest(execution, kind);
      if (next === null) return executionView(execution);
      const asked = { kind, rev: next, at: clock.now(), by: ctx.principal?.email ?? null, reason };
      const send = async (): Promise<'sent'> => {
        await messages.requestPause(execution, asked);
        return 'sent';
      };
      const sent = await nullOnConflict(audit.audited(auditedBy(ctx), pauseChange(execution, asked), send));
      if (sent !== null) return executionView(await executions.get(ctx.tenantId, id));
    }
    throw new AppError('conflict', `Execution ${id} is being paused and resumed by others; try again`);
  }

  return {
    pause: (ctx: ActionContext<'executions.pause'>): Promise<ExecutionView> => request(ctx, 'pause'),
    resume: (ctx: ActionContext<'executions.resume'>): Promise<ExecutionView> => request(ctx, 'resume'),
  };
};

/** The number of the request that pauses or resumes a run; null when it is as requested. @throws AppError */
function nextRequest(execution: Execution, kind: PauseRequest['kind']): number | null {
  const { id, status, pause, cancelling, cleanupDeadline } = execution;
  if (status !== 'running') throw hasEnded(id, status);
  const isPaused = pause?.kind === 'pause';
  if (isPaused === (kind === 'pause')) return null;
  if (cancelling || cleanupDeadline !== null)
    throw new AppError('conflict', `Execution ${id} is ending: it was cancelled or has failed, and cannot be paused`);
  const rev = (pause?.rev ?? 0) + 1;
  if (kind === 'pause' && rev > 2 * MAX_PAUSES)
    throw new AppError('conflict', `Execution ${id} was paused ${MAX_PAUSES} times, which is the limit`);
  return rev;
}
