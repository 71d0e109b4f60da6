import { type ErrorCode, errorMessage } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import type { JsonObject } from '../../lib/json';
import { assertRunnable, assertSecretsExist, isRefusal, startExecution, startParams } from '../../mixins/admission';
import type { App } from '../app';
import type { Call } from '../catalogue';
import type { StartParams } from '../executor/contract';
import type { Startable } from '../workflows/contract';
import type { ScheduleRecord } from './models';
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

/** What a start needs to know of a workflow that may start now; null when it is gone. @throws AppError why it may not */
export async function runnableOf(
  call: Call,
  { tenant_id: tenantId, workflow_id: id }: Pick<ScheduleRecord, 'tenant_id' | 'workflow_id'>,
): Promise<Startable | null> {
  const asService = { asServiceOf: tenantId, timeoutMs: PATIENCE_MS };
  const workflow = await call('workflows.startable', { id }, asService);
  if (workflow === null || workflow.tenant_id !== tenantId) return null;
  assertRunnable(workflow);
  if (workflow.secrets.length > 0)
    assertSecretsExist((await call('secrets.missing', { names: workflow.secrets }, asService)).names);
  return workflow;
}

/** Starts a run under the id that is chosen for it, without waiting for long. */
export async function startOnce(app: App, call: Call, tenantId: string, params: StartParams): Promise<void> {
  const patient: Call = (action, given, options) => call(action, given, { timeoutMs: PATIENCE_MS, ...options });
  await startExecution(app, patient, tenantId, params);
}

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
  try {
    const workflow = await runnableOf(call, record);
    if (workflow === null) return { kind: 'gone' };
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
    await startOnce(app, call, tenantId, { ...startParams(workflow, cause, now), ...queue });
    return { kind: 'started', executionId };
  } catch (fault) {
    if (isRefusal(fault)) return { kind: 'refused', code: fault.type, message: fault.message };
    return { kind: 'trouble', message: errorMessage(fault) };
  }

  async function goesOn(run: string | null): Promise<boolean> {
    if (run === null) return false;
    const asService = { asServiceOf: tenantId, timeoutMs: PATIENCE_MS };
    const settled = await call('executions.settled', { id: run, wait_ms: 0 }, asService).catch((fault: unknown) => {
      // It was removed, so it has ended.
      if (isRefusal(fault)) return null;
      throw fault;
    });
    return settled?.execution.status === 'running';
  }
}
