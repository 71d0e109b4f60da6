import { type Cache, createCache } from '../../lib/cache';
import { errorMessage } from '../../lib/errors';
import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS, REFRESH_AHEAD_MS } from '../../mixins/invalidation';
import type { ServiceContext } from '../../mixins/service';
import { keysOfEnd } from '../../lib/subscription-keys';
import { isTrial } from '../../lib/trial';
import type { WatchedEnds } from '../../contracts/alerts';
import type { ActorDeps } from '../../runtime/execution/deps';
import { MAX_DEPTH } from '../../runtime/core/decide/children';
import type { EndStatus } from '../../runtime/core/entries/entry';
import type { Execution } from '../../runtime/core/model';
import type { RunStore } from '../../runtime/ports/run-store';
import type { App } from '../app';

const CACHED = 20_000;
/** Time limit of the lookup at the end of a run; after a failure, further lookups are skipped for UNAVAILABLE_MS. */
const MAX_LOOKUP_MS = 2_000;
const UNAVAILABLE_MS = 1_000;

/** Prefixes of the patterns of these caches in `cache.stale`. */
export const TOPICS = 'workflows.topics:';
export const WATCHED = 'alerts.watched:';

type Context = Pick<ServiceContext, 'call' | 'log'>;

/** What has to learn of the end of a run. */
interface EndInterest {
  /** Workflows that it triggers. */
  readonly triggers: boolean;
  /** Rules for notices. */
  readonly alerts: boolean;
}

/** In this time after its start, a process of a cluster has learnt which services there are. */
const DISCOVERY_MS = 60_000;
const NONE_WATCHED: WatchedEnds = { all: false, workflow_ids: [] };
const NO_INTEREST: EndInterest = { triggers: false, alerts: false };
const FULL_INTEREST: EndInterest = { triggers: true, alerts: true };

type EndedRun = Pick<Execution, 'tenantId' | 'workflowId' | 'workflowName' | 'triggerType'>;

/** Event triggers and alerts on the ends of runs. Owns this host's caches of them. */
export class EndSubscribers {
  readonly #topics: ReadThrough<ReadonlySet<string>>;
  readonly #watched: ReadThrough<WatchedEnds>;
  /** Tenants whose last lookup failed a moment ago. */
  readonly #unavailable: Cache<true>;

  readonly #startedAt: number;

  constructor(private readonly app: Pick<App, 'clock' | 'config'>) {
    const now = (): number => app.clock.now();
    this.#startedAt = now();
    const cache = { max: CACHED, ttlMs: CACHE_MAX_AGE_MS, refreshAheadMs: REFRESH_AHEAD_MS, now };
    this.#topics = new ReadThrough(cache);
    this.#watched = new ReadThrough(cache);
    this.#unavailable = createCache({ max: CACHED, ttlMs: UNAVAILABLE_MS, now });
  }

  /** Drops the cached values that match a pattern. */
  forget(pattern: string): void {
    if (pattern.startsWith(TOPICS)) this.#topics.delete(pattern.slice(TOPICS.length));
    if (pattern.startsWith(WATCHED)) this.#watched.delete(pattern.slice(WATCHED.length));
  }

  /** See ActorDeps.hasSubscribers. */
  check =
    (context: Context): ActorDeps['hasSubscribers'] =>
    async (run, status) => {
      const { triggers, alerts } = await this.interest(context, run, status);
      return triggers || alerts;
    };

  /** Who has to learn of an end. Everyone while the lookup fails: publishing is repeated until it succeeds. */
  async interest({ call, log }: Context, run: EndedRun, status: EndStatus): Promise<EndInterest> {
    const { tenantId, workflowId, workflowName, triggerType } = run;
    const end = { workflow_id: workflowId, workflow_name: workflowName, status, trigger_type: triggerType };
    const fired = keysOfEnd(end);
    if (fired.size === 0) return NO_INTEREST;
    if (this.#unavailable.get(tenantId) === true) return FULL_INTEREST;
    const options = { asServiceOf: tenantId, timeoutMs: MAX_LOOKUP_MS };
    try {
      const [wanted, watched] = await Promise.all([
        this.#topics.get(tenantId, async () => new Set((await call('workflows.topics', {}, options)).topics)),
        this.#watched.get(tenantId, () => call('alerts.watched', {}, options).catch((fault) => this.#absent(fault))),
      ]);
      return {
        triggers: [...fired.keys()].some((topic) => wanted.has(topic)),
        // A run that a user cancelled is neither a failure nor a success.
        alerts: status !== 'cancelled' && (watched.all || watched.workflow_ids.includes(workflowId)),
      };
    } catch (fault) {
      this.#unavailable.set(tenantId, true);
      log.warn(
        `Event triggers and alerts of tenant ${tenantId} could not be read; publishing the end anyway: ${errorMessage(fault)}`,
      );
      return FULL_INTEREST;
    }
  }

  /** An installation may be without alerts. In a cluster, their process may only not be known yet. @throws the fault */
  #absent(fault: unknown): WatchedEnds {
    const isUnknown = (fault as { type?: unknown } | null)?.type === 'SERVICE_NOT_FOUND';
    const { config, clock } = this.app;
    if (!isUnknown || (config.bus !== null && clock.now() < this.#startedAt + DISCOVERY_MS)) throw fault;
    return NONE_WATCHED;
  }
}

/**
 * Reports the end of a run, as stored, to those who want it: alerts count it, and the workflows that it triggers start.
 * @throws when it must be repeated
 */
export const endPublisher =
  (context: Context, store: Pick<RunStore, 'load'>, subscribers: Pick<EndSubscribers, 'interest'>) =>
  async (executionId: string): Promise<void> => {
    const execution = await store.load(executionId);
    if (execution === null || execution.status === 'running') return;
    const { triggers, alerts } = await subscribers.interest(context, execution, execution.status);
    const reported = await Promise.allSettled([
      alerts ? observe(context, execution) : null,
      triggers ? triggerPublisher(context, store)(executionId) : null,
    ]);
    const failed = reported.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };

async function observe({ call }: Context, execution: Execution): Promise<void> {
  const { id, status, endedAt, startedAt, workflowId, workflowName, tenantId, triggerType } = execution;
  if (status === 'running' || status === 'cancelled' || endedAt === null || isTrial(triggerType)) return;
  const run = {
    id,
    workflow_id: workflowId,
    workflow_name: workflowName,
    status,
    ended_at: endedAt,
    duration_ms: Math.max(0, endedAt - startedAt),
  };
  await call('alerts.observe', { run }, { asServiceOf: tenantId });
}

/** Starts the workflows that are triggered by the end of a run, as stored. @throws when it must be repeated */
export const triggerPublisher =
  ({ call, log }: Context, store: Pick<RunStore, 'load'>) =>
  async (executionId: string): Promise<void> => {
    const execution = await store.load(executionId);
    if (execution === null || execution.status === 'running') return;
    const { tenantId, depth } = execution;
    if (depth >= MAX_DEPTH) {
      log.warn(
        `The end of execution ${executionId} starts nothing: workflows start each other at most ${MAX_DEPTH} deep`,
      );
      return;
    }
    const cause = causeOf(execution, execution.status);
    await call('workflows.react', { cause, depth: depth + 1 }, { asServiceOf: tenantId });
  };

const causeOf = (execution: Execution, status: EndStatus) => ({
  kind: 'ended' as const,
  execution_id: execution.id,
  workflow_id: execution.workflowId,
  workflow_name: execution.workflowName,
  status,
  output: execution.output,
  error: execution.error,
  trigger_type: execution.triggerType,
});
