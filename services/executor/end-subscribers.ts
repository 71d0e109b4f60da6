import { type Cache, createCache } from '../../lib/cache';
import { errorMessage } from '../../lib/errors';
import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS, REFRESH_AHEAD_MS } from '../../mixins/invalidation';
import type { ServiceContext } from '../../mixins/service';
import { keysOfEnd } from '../../lib/subscription-keys';
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

/** Prefix of the patterns of this cache in `cache.stale`. */
export const TOPICS = 'workflows.topics:';

type Context = Pick<ServiceContext, 'call' | 'log'>;

/** Event triggers on the ends of runs. Owns this host's cache of them. */
export class EndSubscribers {
  readonly #topics: ReadThrough<ReadonlySet<string>>;
  /** Tenants whose last lookup failed a moment ago. */
  readonly #unavailable: Cache<true>;

  constructor(app: Pick<App, 'clock'>) {
    const now = (): number => app.clock.now();
    this.#topics = new ReadThrough({ max: CACHED, ttlMs: CACHE_MAX_AGE_MS, refreshAheadMs: REFRESH_AHEAD_MS, now });
    this.#unavailable = createCache({ max: CACHED, ttlMs: UNAVAILABLE_MS, now });
  }

  /** Drops the cached values that match a pattern. */
  forget(pattern: string): void {
    if (pattern.startsWith(TOPICS)) this.#topics.delete(pattern.slice(TOPICS.length));
  }

  /** See ActorDeps.hasSubscribers. True while the lookup fails: publishing is repeated until it succeeds. */
  check =
    ({ call, log }: Context): ActorDeps['hasSubscribers'] =>
    async ({ tenantId, workflowId, workflowName, triggerType }, status) => {
      const end = { workflow_id: workflowId, workflow_name: workflowName, status, trigger_type: triggerType };
      const fired = keysOfEnd(end);
      if (fired.size === 0) return false;
      if (this.#unavailable.get(tenantId) === true) return true;
      try {
        const wanted = await this.#topics.get(tenantId, async () => {
          const options = { asServiceOf: tenantId, timeoutMs: MAX_LOOKUP_MS };
          return new Set((await call('workflows.topics', {}, options)).topics);
        });
        return [...fired.keys()].some((topic) => wanted.has(topic));
      } catch (fault) {
        this.#unavailable.set(tenantId, true);
        log.warn(
          `Event triggers of tenant ${tenantId} could not be read; publishing the end anyway: ${errorMessage(fault)}`,
        );
        return true;
      }
    };
}

/** Starts the workflows that are triggered by the end of a run, as stored. @throws when it must be repeated */
export const endPublisher =
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
