import { AppError, type ErrorCode, ERRORS, errorCode } from '../lib/errors';
import { timeId } from '../lib/ids';
import { type Json, type JsonObject, hashJson } from '../lib/json';
import type { App } from '../services/app';
import type { Call } from '../services/catalogue';
import type { StartParams, StartResult } from '../services/executor/contract';
import type { Startable } from '../services/workflows/contract';

/** Refuses a workflow that may not run now. @throws AppError workflow_disabled, workflow_pending */
export function assertRunnable(workflow: Startable): void {
  if (!workflow.enabled) {
    throw new AppError('workflow_disabled', 'This workflow is disabled; enable it before starting it');
  }
  if (workflow.status === 'pending_approval') {
    throw new AppError(
      'workflow_pending',
      'This workflow waits for the approval of an admin or owner before it can run',
    );
  }
}

/** Refuses a start whose plan names secrets that do not exist. @throws AppError unknown_secret listing them */
export function assertSecretsExist(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new AppError('unknown_secret', `The workflow uses secrets that do not exist: ${missing.join(', ')}`, {
    details: missing.map((name) => ({ path: `secret.${name}`, message: `There is no secret named ${name}` })),
  });
}

/** What of a start differs from one trigger to the next. */
export interface StartCause {
  readonly type: string;
  readonly trigger: JsonObject;
  readonly input: Json;
  /** Where the start must happen once. */
  readonly executionId?: string;
  readonly requestId?: string;
  readonly waitMs?: number;
}

/** What a run is a run of. */
export type Runnable = Pick<Startable, 'id' | 'name' | 'env' | 'plan_hash' | 'secrets'>;

/** Time to wait for a run's end: the answer must still reach the caller before his request times out. */
export const waitMs = (requestTimeoutMs: number): number =>
  requestTimeoutMs - Math.min(1_000, Math.floor(requestTimeoutMs / 10));

/** The params of `executor.start` for a workflow. */
export const startParams = (workflow: Runnable, cause: StartCause, now: number): StartParams => ({
  workflow_id: workflow.id,
  workflow_name: workflow.name,
  env: workflow.env,
  plan_hash: workflow.plan_hash,
  secrets: workflow.secrets,
  trigger_type: cause.type,
  trigger: cause.trigger,
  input: cause.input,
  execution_id: cause.executionId ?? timeId(now),
  fresh: cause.executionId === undefined,
  ...(cause.requestId === undefined ? {} : { request_id: cause.requestId }),
  ...(cause.waitMs === undefined ? {} : { wait_ms: cause.waitMs }),
});

/**
 * Starts a run at some host; where none can be reached, it is stored for the next one. With `wait_ms`, answers at the
 * run's end or when the time is up, whichever hosts it meets on its way.
 */
export async function startExecution(
  app: App,
  call: Call,
  tenantId: string,
  params: StartParams,
): Promise<StartResult> {
  const until = app.clock.now() + (params.wait_ms ?? 0);
  const asService = { asServiceOf: tenantId };
  const started = await call('executor.start', params, asService).catch((fault: unknown) => {
    if (!nobodyCame(fault)) throw fault;
    return call('executions.accept', params, asService);
  });
  const left = until - app.clock.now();
  if (params.wait_ms === undefined || started.execution.status !== 'running' || left <= 0) return started;
  const { id } = started.execution;
  const settled = await call('executions.settled', { id, wait_ms: left }, asService);
  return { ...settled, replayed: started.replayed };
}

/** Whether the same start would be refused again: by its code, which survives the way between nodes. */
export function isRefusal(fault: unknown): fault is { type: ErrorCode; message: string } {
  const code = errorCode(fault);
  return code !== undefined && ERRORS[code].status < 500 && !ERRORS[code].retryable;
}

/** True when a call found no node that would take it. */
function nobodyCame(fault: unknown): boolean {
  if (errorCode(fault) === 'unavailable') return true;
  const type = typeof fault === 'object' && fault !== null && 'type' in fault ? fault.type : null;
  return type === 'SERVICE_NOT_FOUND' || type === 'SERVICE_NOT_AVAILABLE';
}

/**
 * Refuses an idempotency key that was used before with another input. The first start's record is the memory of what
 * was asked then. @throws AppError idempotency_mismatch
 */
export function assertSameInput(started: StartResult, input: Json): void {
  if (!started.replayed || hashJson(started.execution.input) === hashJson(input)) return;
  throw new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used before with another body; use a new key for a new request',
  );
}
