import { type ErrorCode, errorMessage } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import type { JsonObject } from '../../lib/json';
import { assertRunnable, assertSecretsExist, isRefusal, startExecution, startParams } from '../../mixins/admission';
import type { App } from '../app';
import type { Call } from '../catalogue';
import type { Schedule } from './store';

/** What a try to start a slot came to. */
export type Start =
  | { readonly kind: 'started'; readonly executionId: string }
  /** Trying again would end the same way. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** The run before goes on, and the schedule does not start another one beside it. */
  | { readonly kind: 'overlaps' }
  /** It may go better in a while. */
  | { readonly kind: 'trouble'; readonly message: string }
  /** The workflow does not exist any more. */
  | { readonly kind: 'gone' };

const PATIENCE_MS = 5_000;

/** The id of a slot's run: whoever starts the slot, however often, starts this one. */
export const slotRunId = (ids: Buffer, workflowId: string, index: number, slot: number): string =>
  derivedId(ids, 'schedule', workflowId, String(index), new Date(slot).toISOString());

/** A slot that is due, and the run that the schedule has started before. */
export interface DueSlot {
  readonly slot: number;
  readonly lastRun: string | null;
}

/** Starts the run of a slot, once. Never throws. */
export async function startSlot(
  app: App,
  call: Call,
  { record, timer }: Schedule,
  { slot, lastRun }: DueSlot,
  now: number,
): Promise<Start> {
  const { tenant_id: tenantId, workflow_id: workflowId } = record;
  const asService = { asServiceOf: tenantId, timeoutMs: PATIENCE_MS };
  try {
    const workflow = await call('workflows.startable', { id: workflowId }, asService);
    if (workflow === null || workflow.tenant_id !== tenantId) return { kind: 'gone' };
    assertRunnable(workflow);
    if (workflow.secrets.length > 0)
      assertSecretsExist((await call('secrets.missing', { names: workflow.secrets }, asService)).names);
    if (timer.overlap === 'skip' && (await goesOn(lastRun))) return { kind: 'overlaps' };
    const trigger: JsonObject = {
      scheduled_for: new Date(slot).toISOString(),
      fired_at: new Date(now).toISOString(),
      ...(timer.cron === null ? { every: timer.every } : { cron: timer.cron }),
      timezone: timer.timezone,
    };
    const executionId = slotRunId(app.keys.ids, workflowId, timer.index, slot);
    const cause = { type: 'schedule', trigger, input: trigger, executionId };
    const queue =
      timer.overlap === 'queue' ? { queue: timer.index === 0 ? 'schedule' : `schedule ${timer.index}` } : {};
    const params = { ...startParams(workflow, cause, now), ...queue };
    const patient: Call = (action, given, options) => call(action, given, { timeoutMs: PATIENCE_MS, ...options });
    await startExecution(app, patient, tenantId, params);
    return { kind: 'started', executionId };
  } catch (fault) {
    if (isRefusal(fault)) return { kind: 'refused', code: fault.type, message: fault.message };
    return { kind: 'trouble', message: errorMessage(fault) };
  }

  async function goesOn(run: string | null): Promise<boolean> {
    if (run === null) return false;
    const settled = await call('executions.settled', { id: run, wait_ms: 0 }, asService).catch((fault: unknown) => {
      // It was removed, so it has ended.
      if (isRefusal(fault)) return null;
      throw fault;
    });
    return settled?.execution.status === 'running';
  }
}
