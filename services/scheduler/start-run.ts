import { type ErrorCode, errorMessage } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import type { JsonObject } from '../../lib/json';
import { isRefusal, type StartCause, type StartRun } from '../../mixins/start-run';
import type { App } from '../app';
import type { Call } from '../../contracts/catalogue';
import type { StartResult } from '../../contracts/executions/views';
import type { ScheduleTimer } from '../../contracts/scheduler';
import type { StartSnapshot } from '../../contracts/workflows/views';
import type { ScheduleRecord } from './models';
import type { Schedule } from './store';

/** The result of an attempt to start a slot. */
export type Start =
  | { readonly kind: 'started'; readonly executionId: string }
  /** Not retryable. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }
  /** The previous run is still running, and the schedule skips overlapping runs. */
  | { readonly kind: 'overlaps' }
  /** Retryable. */
  | { readonly kind: 'retry'; readonly message: string }
  /** The workflow was removed. */
  | { readonly kind: 'gone' };

const CALL_TIMEOUT_MS = 5_000;

/** Dependencies of a start. */
export interface Starter {
  readonly app: Pick<App, 'keys'>;
  readonly call: Call;
  readonly starts: StartRun;
}

/** The start snapshot of a workflow that may start now; null when it was removed. @throws AppError when it may not start */
export async function startableWorkflow(
  { call, starts }: Starter,
  { tenant_id: tenantId, workflow_id: id }: Pick<ScheduleRecord, 'tenant_id' | 'workflow_id'>,
): Promise<StartSnapshot | null> {
  const workflow = await starts.findOwn(soon(call), tenantId, id);
  if (workflow !== null) await starts.authorize(soon(call), workflow);
  return workflow;
}

/** Starts a run with a given id and a short timeout. */
export async function startOnce(
  { call, starts }: Starter,
  workflow: StartSnapshot,
  cause: StartCause & { readonly executionId: string },
): Promise<StartResult> {
  return starts.start(soon(call), workflow, cause);
}

const soon =
  (call: Call): Call =>
  (action, given, options) =>
    call(action, given, { timeoutMs: CALL_TIMEOUT_MS, ...options });

/** The run id of a slot, so that a slot starts at most one run. */
export const slotRunId = (ids: Buffer, workflowId: string, index: number, slot: number): string =>
  derivedId(ids, 'schedule', workflowId, String(index), new Date(slot).toISOString());

/** What a run of a schedule is started with. */
export function scheduledStart(timer: ScheduleTimer, slot: number, now: number): Omit<StartCause, 'executionId'> {
  const trigger: JsonObject = {
    scheduled_for: new Date(slot).toISOString(),
    fired_at: new Date(now).toISOString(),
    ...(timer.cron === null ? { every: timer.every } : { cron: timer.cron }),
    timezone: timer.timezone,
  };
  const queue = timer.overlap === 'queue' ? { queue: timer.index === 0 ? 'schedule' : `schedule ${timer.index}` } : {};
  return { type: 'schedule', trigger, ...queue };
}

/** A due slot, and the previous run of the schedule. */
interface DueSlot {
  readonly slot: number;
  readonly lastRun: string | null;
}

/** Starts the run of a slot, once. Never throws. */
export async function startSlot(
  starter: Starter,
  { record, timer }: Schedule,
  { slot, lastRun }: DueSlot,
  now: number,
): Promise<Start> {
  const { tenant_id: tenantId, workflow_id: workflowId } = record;
  try {
    const workflow = await startableWorkflow(starter, record);
    if (workflow === null) return { kind: 'gone' };
    if (timer.overlap === 'skip' && (await goesOn(lastRun))) return { kind: 'overlaps' };
    const executionId = slotRunId(starter.app.keys.ids, workflowId, timer.index, slot);
    await startOnce(starter, workflow, { ...scheduledStart(timer, slot, now), executionId });
    return { kind: 'started', executionId };
  } catch (fault) {
    if (isRefusal(fault)) return { kind: 'refused', code: fault.type, message: fault.message };
    return { kind: 'retry', message: errorMessage(fault) };
  }

  async function goesOn(run: string | null): Promise<boolean> {
    if (run === null) return false;
    const asService = { asServiceOf: tenantId, timeoutMs: CALL_TIMEOUT_MS };
    const settled = await starter
      .call('executions.settled', { id: run, wait_ms: 0 }, asService)
      .catch((fault: unknown) => {
        // A removed run has ended.
        if (isRefusal(fault)) return null;
        throw fault;
      });
    return settled?.status === 'running';
  }
}
