/**
 * The use case behind everything that starts runs: finds the workflow, checks that it may run, and starts the run at a
 * host. What it knows of workflows and secrets is cached in each process for a second at most, and a change drops it
 * before the change is answered (see `invalidation`).
 */
import { type Cache, createGroupCache } from '../lib/cache';
import { AppError, type ErrorCode, ERRORS, errorCode } from '../lib/errors';
import { isUuid, timeId } from '../lib/ids';
import type { JsonObject } from '../lib/json';
import { NO_TENANT } from '../lib/principal';
import { ReadThrough } from '../lib/read-through';
import type { App } from '../services/app';
import type { Call } from '../contracts/catalogue';
import type { StartParams, StartResult } from '../contracts/executions/views';
import type { StartSnapshot } from '../contracts/workflows/views';
import { CACHE_MAX_AGE_MS } from './invalidation';

const MAX_WORKFLOWS = 20_000;
const MAX_TENANTS = 10_000;

/** What the keys of workflows and secrets begin with, in `cache.stale`. */
export const STALE_WORKFLOW = 'workflows.startable:';
export const STALE_SECRETS = 'secrets:';

/** The parts of a start that differ from one trigger to the next. */
export interface StartCause
  extends Pick<
    StartParams,
    'fresh' | 'spread_body' | 'same' | 'record' | 'parent' | 'depth' | 'queue' | 'retry_of' | 'preload_from'
  > {
  readonly type: string;
  readonly trigger: JsonObject;
  /** Where the start must happen once. */
  readonly executionId?: string | undefined;
  readonly requestId?: string | undefined;
  /** How long to wait for the run's end; absent: the start is answered once the run is durable. */
  readonly waitMs?: number | undefined;
}

/** The workflow of a run, as the run records it. */
export type StartedWorkflow = Pick<StartSnapshot, 'id' | 'tenant_id' | 'name' | 'env' | 'plan_hash'>;

/** Reads what a start needs of a workflow; null for an unknown id. */
type ReadWorkflow = (call: Call, id: string) => Promise<StartSnapshot | null>;

const readFromOwner: ReadWorkflow = (call, id) => call('workflows.startable', { id }, { asServiceOf: NO_TENANT });

export class StartRun {
  readonly #workflows: ReadThrough<StartSnapshot | null>;
  /** By tenant: lists of secrets that all exist. */
  readonly #complete: Cache<Map<string, true>>;

  constructor(
    private readonly app: Pick<App, 'clock'>,
    private readonly read: ReadWorkflow = readFromOwner,
  ) {
    const now = (): number => app.clock.now();
    this.#workflows = new ReadThrough({ max: MAX_WORKFLOWS, ttlMs: CACHE_MAX_AGE_MS, now });
    this.#complete = createGroupCache({ max: MAX_TENANTS, ttlMs: CACHE_MAX_AGE_MS, now });
  }

  /** Null for an unknown or deleted id, whatever its tenant. */
  find(call: Call, id: string): Promise<StartSnapshot | null> {
    return isUuid(id) ? this.#workflows.get(id, () => this.read(call, id)) : Promise.resolve(null);
  }

  /** A workflow of the tenant by its id or name; null when there is none. @throws AppError conflict for an ambiguous name */
  async findOwn(call: Call, tenantId: string, idOrName: string): Promise<StartSnapshot | null> {
    const found = await (isUuid(idOrName)
      ? this.find(call, idOrName)
      : call('workflows.startable_for', { workflow: idOrName }, { asServiceOf: tenantId }));
    return found?.tenant_id === tenantId ? found : null;
  }

  /** Refuses a workflow that may not run now. @throws AppError workflow_disabled, workflow_pending, unknown_secret */
  async authorize(call: Call, workflow: StartSnapshot): Promise<void> {
    assertStartable(workflow);
    if (workflow.secrets.length > 0) await this.assertSecrets(call, workflow.tenant_id, workflow.secrets);
  }

  /** Refuses a start whose plan names secrets that do not exist. @throws AppError unknown_secret listing them */
  async assertSecrets(call: Call, tenantId: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const key = names.join();
    // Taken before the question, so that an answer which a change overtakes is not kept.
    const known = this.#complete.memo(tenantId);
    if (known.has(key)) return;
    const { names: missing } = await call('secrets.missing', { names: [...names] }, { asServiceOf: tenantId });
    if (missing.length > 0) throw unknownSecrets(missing);
    // A missing secret is often added the moment after, so only "all exist" is kept.
    known.set(key, true);
  }

  /**
   * Starts a run of an authorised workflow at some host; without a reachable host, the run is stored for the next one.
   * With `waitMs`, answers at the run's end or when the time is up, whichever hosts the run meets on its way.
   */
  async start(call: Call, workflow: StartedWorkflow, cause: StartCause): Promise<StartResult> {
    const { clock } = this.app;
    const { waitMs = 0 } = cause;
    const now = clock.now();
    const until = now + waitMs;
    const params = startParams(workflow, cause, now);
    const asService = { asServiceOf: workflow.tenant_id };
    const started = await call('executor.start', params, asService).catch((fault: unknown) => {
      if (!isUnanswered(fault)) throw fault;
      return call('executions.accept', params, asService);
    });
    if (cause.waitMs === undefined || started.status !== 'running') return started;
    const left = until - clock.now();
    if (left <= 0) return started;
    const rest = { wait_ms: left, ...(cause.record === true ? { record: true } : {}) };
    const settled = await call('executions.settled', { id: started.id, ...rest }, asService);
    return { ...settled, replayed: started.replayed };
  }

  /** Drops what a pattern of `cache.stale` names. */
  forget(pattern: string): void {
    if (pattern.startsWith(STALE_WORKFLOW)) this.#workflows.delete(pattern.slice(STALE_WORKFLOW.length));
    else if (pattern.startsWith(STALE_SECRETS)) this.#complete.delete(pattern.slice(STALE_SECRETS.length));
  }
}

function startParams(
  { id, name, env, plan_hash }: StartedWorkflow,
  { type, trigger, executionId, requestId, waitMs, ...rest }: StartCause,
  now: number,
): StartParams {
  return {
    workflow_id: id,
    workflow_name: name,
    env,
    plan_hash,
    trigger_type: type,
    trigger,
    execution_id: executionId ?? timeId(now),
    fresh: executionId === undefined,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(waitMs === undefined ? {} : { wait_ms: waitMs }),
    ...rest,
  };
}

/** Refuses a workflow that is disabled or not approved. @throws AppError workflow_disabled, workflow_pending */
export function assertStartable({ enabled, status }: Pick<StartSnapshot, 'enabled' | 'status'>): void {
  if (!enabled) throw new AppError('workflow_disabled', 'This workflow is disabled; enable it before starting it');
  if (status === 'pending_approval')
    throw new AppError(
      'workflow_pending',
      'This workflow waits for the approval of an admin or owner before it can run',
    );
}

const unknownSecrets = (missing: readonly string[]): AppError =>
  new AppError('unknown_secret', `The workflow uses secrets that do not exist: ${missing.join(', ')}`, {
    details: missing.map((name) => ({ path: `secret.${name}`, message: `There is no secret named ${name}` })),
  });

/** Time to wait for a run's end: the answer must still reach the caller before the request times out. */
export const maxWaitMs = (requestTimeoutMs: number): number =>
  requestTimeoutMs - Math.min(1_000, Math.floor(requestTimeoutMs / 10));

/** Whether the same start would be refused again: by its code, which survives the way between nodes. */
export function isRefusal(fault: unknown): fault is { type: ErrorCode; message: string } {
  const code = errorCode(fault);
  return code !== undefined && ERRORS[code].status < 500 && !ERRORS[code].retryable;
}

/** True when a call found no node that would take it. */
export function isUnanswered(fault: unknown): boolean {
  if (errorCode(fault) === 'unavailable') return true;
  const type = typeof fault === 'object' && fault !== null && 'type' in fault ? fault.type : null;
  return type === 'SERVICE_NOT_FOUND' || type === 'SERVICE_NOT_AVAILABLE';
}
