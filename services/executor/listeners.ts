import { Cache } from '../../lib/cache';
import { errorMessage } from '../../lib/errors';
import { ReadThrough } from '../../lib/read-through';
import type { ServiceContext } from '../../mixins/service';
import { topicsOfEnd } from '../../mixins/topics';
import type { ActorDeps } from '../../runtime/actor/deps';
import { DEEPEST } from '../../runtime/rules/children';
import type { EndStatus } from '../../runtime/record/entry';
import type { Execution, RunStore } from '../../runtime/store/port';
import type { App } from '../app';

/** A workflow that begins by ends counts within this time, on every host that was not told of it. */
const TTL_MS = 5_000;
const CACHED = 20_000;
/** A run's end does not wait longer for word of who wants to hear of it; then others do not even ask for a while. */
const PATIENCE_MS = 2_000;
const SILENT_MS = 1_000;

/** What the keys of this cache begin with, in `cache.stale`. */
export const TOPICS = 'workflows.topics:';

type Context = Pick<ServiceContext, 'call' | 'log'>;

/** Who wants to hear of the ends of runs. Owns: what is known of that here. */
export class Listeners {
  readonly #topics: ReadThrough<ReadonlySet<string>>;
  /** Tenants of whom nobody has said anything a moment ago. */
  readonly #silent: Cache<true>;

  constructor(app: Pick<App, 'clock'>) {
    const now = (): number => app.clock.now();
    this.#topics = new ReadThrough({ max: CACHED, ttlMs: TTL_MS, now });
    this.#silent = new Cache({ max: CACHED, ttlMs: SILENT_MS, now });
  }

  /** Forgets what a stale pattern names. */
  forget(pattern: string): void {
    if (pattern.startsWith(TOPICS)) this.#topics.delete(pattern.slice(TOPICS.length));
  }

  /** See ActorDeps.heard. Where nobody answers, the end is announced: that is done until somebody has heard it. */
  heard =
    ({ call, log }: Context): ActorDeps['heard'] =>
    async ({ tenantId, workflowId, workflowName, triggerType }, status) => {
      const end = { workflow_id: workflowId, workflow_name: workflowName, status, trigger_type: triggerType };
      const fired = topicsOfEnd(end);
      if (fired.size === 0) return false;
      if (this.#silent.get(tenantId) === true) return true;
      try {
        const wanted = await this.#topics.get(tenantId, async () => {
          const options = { asServiceOf: tenantId, timeoutMs: PATIENCE_MS };
          return new Set((await call('workflows.topics', {}, options)).topics);
        });
        return [...fired.keys()].some((topic) => wanted.has(topic));
      } catch (fault) {
        this.#silent.set(tenantId, true);
        log.warn(`Nobody says who listens to the runs of tenant ${tenantId}: ${errorMessage(fault)}`);
        return true;
      }
    };
}

/** Starts what begins by the end of a run, which says itself what has become of it. @throws where it is to be told again */
export const announcer =
  ({ call, log }: Context, store: Pick<RunStore, 'load'>) =>
  async (executionId: string): Promise<void> => {
    const execution = await store.load(executionId);
    if (execution === null || execution.status === 'running') return;
    const { tenantId, depth } = execution;
    if (depth >= DEEPEST) {
      log.warn(
        `The end of execution ${executionId} starts nothing: workflows start each other at most ${DEEPEST} deep`,
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
