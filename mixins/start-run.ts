/**
 * The use case of all triggers: finds the workflow, checks that it may run, and starts the run at a host. Workflows and
 * secret names are cached in each process for at most a second; changes invalidate them (see `invalidation`).
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
import { CACHE_MAX_AGE_MS, REFRESH_AHEAD_MS } from './invalidation';

const MAX_WORKFLOWS = 20_000;
const MAX_TENANTS = 10_000;

/** Prefixes of workflow ids and tenant ids (of secrets) in `cache.stale`. */
export const STALE_WORKFLOW = 'workflows.startable:';
export const STALE_SECRETS = 'secrets:';

/** The part of a start that depends on the trigger. */
export interface StartCause
  extends Pick<
    StartParams,
    'fresh' | 'spread_body' | 'same' | 'record' | 'parent' | 'depth' | 'queue' | 'labels' | 'retry_of' | 'preload_from'
  > {
  readonly type: string;
  readonly trigger: JsonObject;
  /** A derived id makes the start idempotent. */
  readonly executionId?: string | undefined;
  readonly requestId?: string | undefined;
  /** How long to wait for the run's end; absent: returns when the run is durable. */
  readonly waitMs?: number | undefined;
}

/** The workflow of a run, as the run records it. */
export type StartedWorkflow = Pick<StartSnapshot, 'id' | 'tenant_id' | 'name' | 'env' | 'plan_hash'>;

/** Reads the start snapshot of a workflow; null for an unknown id. */
type ReadWorkflow = (call: Call, id: string) => Promise<StartSnapshot | null>;

const readFromOwner: ReadWorkflow = (call, id) => call('workflows.startable', { id }, { asServiceOf: NO_TENANT });

export class StartRun {
  readonly #workflows: ReadThrough<StartSnapshot | null>;
  /** By tenant: lists of existing secrets. */
  readonly #existingSecrets: Cache<Map<string, true>>;

  constructor(
    private readonly app: Pick<App, 'clock'>,
    private readonly read: ReadWorkflow = readFromOwner,
  ) {
    const now = (): number => app.clock.now();
    this.#workflows = new ReadThrough({
      max: MAX_WORKFLOWS,
      ttlMs: CACHE_MAX_AGE_MS,
      refreshAheadMs: REFRESH_AHEAD_MS,
      now,
    });
    this.#existingSecrets = createGroupCache({ max: MAX_TENANTS, ttlMs: CACHE_MAX_AGE_MS, now });
  }

  /** Null for an unknown or deleted id, whatever its tenant. */
  find(call: Call, id: string): Promise<StartSnapshot | null> {
    return isUuid(id) ? this.#workflows.get(id, () => this.read(call, id)) : Promise.resolve(null);
  }

  /** A workflow of the tenant by id or name; null when there is none. @throws AppError conflict for an ambiguous name */
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
    // Read before the call, so that a result from before a concurrent change is not cached.
    const known = this.#existingSecrets.memo(tenantId);
    if (known.has(key)) return;
    const { names: missing } = await call('secrets.missing', { names: [...names] }, { asServiceOf: tenantId });
    if (missing.length > 0) throw unknownSecrets(missing);
    // Only existing secrets are cached, because a missing one is often added right after.
    known.set(key, true);
  }

  /**
   * Starts a run of an authorised workflow at a host. Without a reachable host, the run is stored until one claims it. With
   * `waitMs`, returns at the run's end or after that time, also when the run moves between hosts.
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
    const ended = await call('executions.settled', { id: started.id, ...rest }, asService);
    return { ...ended, replayed: started.replayed };
  }

  /** Handles a pattern of `cache.stale`. */
  forget(pattern: string): void {
    if (pattern.startsWith(STALE_WORKFLOW)) this.#workflows.delete(pattern.slice(STALE_WORKFLOW.length));
    else if (pattern.startsWith(STALE_SECRETS)) this.#existingSecrets.delete(pattern.slice(STALE_SECRETS.length));
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
  if (!enabled) throw new AppError('workflow_disabled', 'This workflow is disabled; enable it first');
  if (status === 'pending_approval')
    throw new AppError('workflow_pending', 'This workflow cannot run until an admin or owner has approved it');
}

const unknownSecrets = (missing: readonly string[]): AppError =>
  new AppError('unknown_secret', `The workflow uses secrets that do not exist: ${missing.join(', ')}`, {
    details: missing.map((name) => ({ path: `secret.${name}`, message: `There is no secret named ${name}` })),
  });

/** Maximum time to wait for a run's end, so that the response reaches the caller before the request times out. */
export const maxWaitMs = (requestTimeoutMs: number): number =>
  requestTimeoutMs - Math.min(1_000, Math.floor(requestTimeoutMs / 10));

/** True when the same start would be refused again. Uses the error code, which is preserved between nodes. */
export function isRefusal(fault: unknown): fault is { type: ErrorCode; message: string } {
  const code = errorCode(fault);
  return code !== undefined && ERRORS[code].status < 500 && !ERRORS[code].retryable;
}

/** True when no node was available for a call. */
export function isUnanswered(fault: unknown): boolean {
  if (errorCode(fault) === 'unavailable') return true;
  const type = typeof fault === 'object' && fault !== null && 'type' in fault ? fault.type : null;
  return type === 'SERVICE_NOT_FOUND' || type === 'SERVICE_NOT_AVAILABLE';
}
