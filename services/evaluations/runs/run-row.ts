import { backoffMs } from '../../../lib/backoff';
import { AppError, errorMessage } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import { isRefusal } from '../../../mixins/start-run';
import type { ExecutionView } from '../../../contracts/executions/views';
import type { EvaluationRecord, ResultRecord, RowRecord } from '../models';
import type { RunFacts } from '../metrics/definition';
import type { WorkDeps } from './deps';
import { runIdOf } from './ids';

/** The run of a row at its end. */
export interface EndedRun {
  readonly executionId: string | null;
  readonly output: Json;
  readonly facts: RunFacts & { readonly status: NonNullable<ResultRecord['run_status']> };
}

/** The evaluation cannot continue: every row would be refused for the same reason. */
export class EvaluationFault extends Error {}

/** How long one call waits for the end of a run. */
const WAIT_MS = 10_000;
const CALL_MS = 20_000;
/** After a timeout, how long a run may take to end. */
const STOP_MS = 30_000;
const RETRY = { firstMs: 200, maxMs: 5_000 };
const MAX_TRIES = 8;
/** Refusals that concern the workflow or the tenant, not the row. */
const FATAL: ReadonlySet<string> = new Set([
  'quota_exceeded',
  'unknown_secret',
  'workflow_disabled',
  'workflow_pending',
]);

/**
 * Runs the workflow for a row and waits for the end. The id of the run is derived from the row, so a repeat after a crash
 * finds the run. A start that was sent is always awaited: nothing starts after this has returned.
 * @throws EvaluationFault; AppError unavailable; the reason of the signal
 */
export async function runRow(
  deps: WorkDeps,
  evaluation: EvaluationRecord,
  result: Pick<ResultRecord, 'version_id' | 'attempt'>,
  row: Pick<RowRecord, 'input'>,
  signal: AbortSignal,
): Promise<EndedRun> {
  const { clock } = deps.app;
  const executionId = runIdOf(deps.app.keys.ids, evaluation._id, result.version_id, result.attempt);
  const refusal = await start(deps, evaluation, executionId, JSON.parse(row.input) as Json, signal);
  if (refusal !== null) return ended(null, 'refused', refusal);
  const startedAt = clock.now();
  const run = await endOf(deps, evaluation, executionId, startedAt + evaluation.row_timeout_ms, signal);
  if (run !== null) return endedRun(run);
  const seconds = evaluation.row_timeout_ms / 1_000;
  await deps.call('executions.stop', { id: executionId }, { asServiceOf: evaluation.tenant_id });
  const stopped = await endOf(deps, evaluation, executionId, clock.now() + STOP_MS, signal);
  const { facts } = stopped === null ? ended(executionId, 'timed_out', null) : endedRun(stopped);
  const error = `the run took longer than ${seconds} s; give the evaluation a higher "row_timeout_seconds"`;
  return { executionId, output: null, facts: { ...facts, status: 'timed_out', error } };
}

/** Starts the run, or finds it. Returns why the row is refused; null for a start. */
async function start(
  { call, starts, app }: WorkDeps,
  evaluation: EvaluationRecord,
  executionId: string,
  input: Json,
  signal: AbortSignal,
): Promise<string | null> {
  const { tenant_id, workflow_id, workflow_name, env, plan_hash } = evaluation;
  const workflow = { id: workflow_id, name: workflow_name, env: env as 'dev', tenant_id, plan_hash };
  const trigger =
    evaluation.input_as === 'trigger' && typeof input === 'object' && input !== null && !Array.isArray(input)
      ? { trigger: input }
      : { trigger: { body: input }, spread_body: true };
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      await starts.start(call, workflow, { type: 'trial', ...trigger, executionId });
      return null;
    } catch (fault) {
      if (isRefusal(fault)) {
        if (FATAL.has(fault.type)) throw new EvaluationFault(errorMessage(fault));
        return errorMessage(fault);
      }
      if (tries >= MAX_TRIES) throw fault;
    }
    await pause(app.clock, backoffMs(RETRY, tries, Math.random()), signal);
  }
}

/** The run when it has ended; null at the deadline. */
async function endOf(
  { call, app }: WorkDeps,
  { tenant_id }: EvaluationRecord,
  id: string,
  deadline: number,
  signal: AbortSignal,
): Promise<ExecutionView | null> {
  for (let failures = 0; ; ) {
    signal.throwIfAborted();
    const left = deadline - app.clock.now();
    const wait_ms = Math.max(0, Math.min(WAIT_MS, left));
    try {
      const options = { asServiceOf: tenant_id, timeoutMs: CALL_MS };
      const asked = { id, wait_ms, record: true };
      const { record } = await untilAborted(call('executions.settled', asked, options), signal);
      if (record !== undefined && record.status !== 'running') return record;
      if (left <= 0) return null;
      failures = 0;
    } catch (fault) {
      signal.throwIfAborted();
      if (isRefusal(fault) || ++failures >= MAX_TRIES) throw fault;
      await pause(app.clock, backoffMs(RETRY, failures, Math.random()), signal);
    }
  }
}

/** The result, unless the signal aborts first. @throws the reason of the signal */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function pause({ after }: WorkDeps['app']['clock'], ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}

function endedRun(run: ExecutionView): EndedRun {
  const { id, status, output, error, duration_ms, tokens, cost_usd } = run;
  if (status === 'running') throw new AppError('internal', `Execution ${id} has not ended`);
  const message = error === null ? null : `${error.code}: ${error.message}`;
  return { executionId: id, output, facts: { status, error: message, duration_ms, tokens, cost_usd } };
}

const ended = (executionId: string | null, status: 'refused' | 'timed_out', error: string | null): EndedRun => ({
  executionId,
  output: null,
  facts: { status, error, duration_ms: null, tokens: 0, cost_usd: 0 },
});
