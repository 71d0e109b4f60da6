import { randomBytes } from 'node:crypto';
import type { PreparedPlan } from '../../dsl';
import { hmac } from '../../lib/crypto';
import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { errorMessage } from '../../lib/errors';
import { type Cache, createGroupCache } from '../../lib/cache';
import { derivedId, randomId } from '../../lib/ids';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import type { ServiceContext } from '../../mixins/service';
import { DEFAULT_FLUSH } from '../../runtime/execution/journal';
import type { StreamChunk } from '../../runtime/execution/output-stream';
import { Host } from '../../runtime/worker/host';
import { reusedEntries } from '../../runtime/worker/reused-entries';
import { inputChecks } from '../../runtime/execution/input-checks';
import { SecretRedactor } from '../../runtime/core/secrets/secret-redactor';
import type { Execution } from '../../runtime/core/model';
import { mongoQuotaStore } from '../../runtime/mongo/quota-store';
import { mongoSlotStore } from '../../runtime/mongo/slot-store';
import { mongoOutboxStore } from '../../runtime/mongo/outbox-store';
import { mongoOutputStore } from '../../runtime/mongo/output-store';
import type { App } from '../app';
import { watchGroup } from '../../contracts/events';
import type { ExecutionStatus } from '../../contracts/executions/views';
import { retryUntilAvailable } from './retry-until-available';
import { approvalUrl } from './approvals';
import { formUrl } from './form-pages';
import { childStarter } from './children';
import { HostConnections } from './connections';
import { signalEmitter } from './signal-emitter';
import { EndWaiters } from './end-waiters';
import { hostFiles } from './files';
import { hostKnowledge } from './knowledge';
import { endPublisher, EndSubscribers } from './end-subscribers';
import { StepResources } from './step-resources';
import { hintMessages } from './messages';
import { countEnd, collectHostMetrics, metersOf } from './metering';
import { HostNodeTypes } from './node-types';
import type { Records } from './records';
import { MIN_STORED_STEPS } from './step-indexes';
import { traceEnd } from './tracing';
import { hostSkills } from './skills';
import { WatchRegistry } from '../../mixins/watch-registry';

/** Prefix of the patterns of secrets in `cache.stale`; the tenant follows. */
const STALE_SECRETS = 'secrets:';
const POLL_MS = 1_000;

/** Runs executions on a node: the host, its stores and platform calls, and the subscriptions to its runs. */
export class Engine {
  readonly ends = new EndWaiters();
  readonly runWatchers: WatchRegistry;
  /** Nodes that also subscribe to the output of runs. */
  readonly outputWatchers: WatchRegistry;
  readonly nodeTypes: HostNodeTypes;
  readonly endSubscribers: EndSubscribers;
  readonly #egress: Egress;
  readonly #resources: StepResources;
  readonly #secrets: Cache<Map<string, ReadonlyMap<string, string>>>;
  readonly #connections: HostConnections;
  #host: Host | null = null;
  #stopping: Promise<void> | null = null;
  #stopCollecting: () => void = () => {};

  constructor(
    private readonly app: App,
    readonly records: Records,
  ) {
    const now = (): number => app.clock.now();
    this.runWatchers = new WatchRegistry(now);
    this.outputWatchers = new WatchRegistry(now);
    this.nodeTypes = new HostNodeTypes(app);
    this.endSubscribers = new EndSubscribers(app);
    const allow = parseEgressAllow(app.config.egressAllow);
    this.#egress = createEgress({ allow });
    this.#resources = new StepResources(app, allow, (tenantId, use) => records.usage.breakdowns.onSpent(tenantId, use));
    this.#connections = new HostConnections(app);
    this.#secrets = createGroupCache({ max: 10_000, ttlMs: CACHE_MAX_AGE_MS, now });
  }

  get host(): Host {
    if (this.#host === null) throw new Error('The executor has not started');
    return this.#host;
  }

  /** Drops the cached values that match a pattern. */
  forget(pattern: string): void {
    this.endSubscribers.forget(pattern);
    this.nodeTypes.forget(pattern);
    this.#connections.forget(pattern);
    this.records.forget(pattern);
    if (pattern.startsWith(STALE_SECRETS)) this.#secrets.delete(pattern.slice(STALE_SECRETS.length));
  }

  async start(context: ServiceContext): Promise<void> {
    await this.records.createIndexes();
    this.records.usage.breakdowns.open((message) => context.log.warn(message));
    this.#host = this.#makeHost(context);
    await this.#host.start();
    this.#stopCollecting = collectHostMetrics(
      this.app.metrics,
      this.#host,
      this.#resources,
      this.app.config.executor.capacity,
      this.records,
    );
    // Calls are still served during shutdown: waiting callers get the current state and call another process.
    this.app.stopping.addEventListener('abort', () => void this.#drain(), { once: true });
  }

  async stop(): Promise<void> {
    this.#stopCollecting();
    await this.#drain();
    await this.records.usage.breakdowns.stop();
    await Promise.all([this.#egress.close(), this.#resources.close()]);
  }

  #drain(): Promise<void> {
    this.ends.releaseAll();
    this.#stopping ??= this.#stopHost();
    return this.#stopping;
  }

  async #stopHost(): Promise<void> {
    try {
      await this.#host?.stop(this.app.config.executor.shutdownGraceMs);
    } finally {
      if (this.app.exclusive) this.records.stopWaiting();
    }
  }

  #makeHost(context: ServiceContext): Host {
    const { app } = this;
    const checks = inputChecks();
    const nodeId = context.broker.nodeID;
    const { records } = this;
    const { store, hosts } = records;
    const plan = (execution: Pick<Execution, 'planHash' | 'tenantId'>): Promise<PreparedPlan> =>
      records.plan(context, execution.tenantId, execution.planHash);
    return new Host(
      {
        store,
        hosts,
        slots: mongoSlotStore(records.collections),
        limit: (tenantId) => records.usage.limits.concurrency(context, tenantId),
        groups: records.groups,
        windows: records.windows,
        quotas: mongoQuotaStore(records.collections),
        pauseConnection: (tenantId, connection, until) => this.#connections.pause(context, tenantId, connection, until),
        gatherings: records.gatherings,
        outboxes: mongoOutboxStore(records.collections),
        outputs: mongoOutputStore(records.collections),
        logs: records.logs,
        clock: app.clock,
        random: (bytes) => randomBytes(bytes),
        flush: DEFAULT_FLUSH,
        meters: metersOf(app.metrics),
        tracer: app.tracer,
        node: (type, tenantId) => this.nodeTypes.find(context, type, tenantId),
        capabilities: (tenantId) => this.#resources.of(tenantId),
        check: checks,
        http: this.#egress,
        secrets: (tenantId, names) => this.#reveal(context, tenantId, names),
        connection: (tenantId, ref, wanted, signal) => this.#connections.find(context, tenantId, ref, wanted, signal),
        files: hostFiles(app, context),
        skills: hostSkills(app, context),
        knowledge: hostKnowledge(app, context),
        idempotencyKey: (executionId, path) => derivedId(app.keys.ids, 'step', executionId, path),
        childId: (executionId, path, n) => derivedId(app.keys.ids, 'child', executionId, path, String(n)),
        startChild: childStarter(records.starts, context),
        emit: signalEmitter(context),
        hasSubscribers: this.endSubscribers.check(context),
        publishEnd: endPublisher(context, store, this.endSubscribers),
        redactor: (executionId) => new SecretRedactor(() => this.#code(executionId)),
        log: (execution, level, message, data, stepId) =>
          context.log[level](message, {
            execution_id: execution.id,
            tenant_id: execution.tenantId,
            workflow_id: execution.workflowId,
            request_id: execution.requestId ?? undefined,
            step_id: stepId,
            trace_id: execution.trace?.id,
            data,
          }),
        subscribers: ({ id }) =>
          this.outputWatchers.nodes(id).length === 0 ? null : (chunk) => this.#publishOutput(context, id, chunk),
        onLogged: ({ id }) => this.#nudge(context, id, false),
        onDurable: (execution) => this.#moved(context, execution, 'running'),
        onWaits: (execution, waiting) => records.notices.waits(context, execution, waiting),
        plan,
        vars: (tenantId) => records.vars(context, tenantId),
        reusedEntries: async (execution) => {
          const earlier = await store.load(execution.resumeFrom?.executionId ?? '');
          if (earlier === null || earlier.tenantId !== execution.tenantId) return [];
          return reusedEntries(store, execution, await plan(execution), await plan(earlier), (id) => this.#code(id));
        },
        stepLink: (executionId, stepId, kind) =>
          kind === 'form'
            ? formUrl(app, app.config, executionId, stepId)
            : approvalUrl(app.config, executionId, stepId, kind),
        onEnded: (execution, ending) => {
          this.ends.notify(execution.id, ending);
          countEnd(app.metrics, execution, ending);
          const { tenantId, workflowId, workflowName } = execution;
          const { status, steps, tokens, costUsd, startedAt, endedAt } = ending;
          const used = { steps, tokens, costUsd, durationMs: endedAt - startedAt };
          records.usage.breakdowns.onEnded({ tenantId, workflowId, workflowName, status, ...used });
          traceEnd(app.tracer, execution, ending);
          this.#moved(context, execution, ending.status);
          if (ending.steps >= MIN_STORED_STEPS) this.#index(context, execution);
        },
        onPosted: (executionId, owner) => hintMessages(context, executionId, owner),
        onReady: () => context.broadcast('executor.wake', {}),
        onFault: (fault) => context.log.warn(errorMessage(fault)),
      },
      {
        nodeId,
        version: app.version,
        capacity: app.config.executor.capacity,
        leaseMs: app.config.executor.leaseMs,
        pollMs: POLL_MS,
        exclusive: app.exclusive,
        newHostId: () => `${nodeId}:${randomId()}`,
      },
    );
  }

  #moved(context: ServiceContext, execution: Execution, status: ExecutionStatus): void {
    const { id } = execution;
    this.#nudge(context, id, status !== 'running');
    this.records.subscriptions.publish(context.broker, execution, status);
    if (status === 'running') this.records.notices.moved(context, execution);
    else this.records.notices.ended(context, execution, status);
  }

  /** A long run is indexed for its first view, which would otherwise read the whole journal. */
  #index(context: ServiceContext, { id, tenantId }: Execution): void {
    context.call('executions.index_steps', { id }, { asServiceOf: tenantId }).catch((fault: unknown) => {
      context.log.warn(`Run ${id} was not indexed at its end; its first view does it`, fault);
    });
  }

  /** Notifies the nodes with streams of the run. */
  #nudge(context: ServiceContext, id: string, ended: boolean): void {
    const nodes = this.runWatchers.nodes(id);
    if (nodes.length > 0) context.broadcast('execution.moved', { id, ended }, nodes.map(watchGroup));
  }

  #publishOutput(context: ServiceContext, id: string, { stepId, streamId: take, offset: at, text }: StreamChunk): void {
    const nodes = this.outputWatchers.nodes(id);
    if (nodes.length === 0) return;
    context.broadcast('execution.said', { id, step_id: stepId, take, at, text }, nodes.map(watchGroup));
  }

  /** The code in a run's placeholders (see SecretRedactor), which cannot be forged without the key. */
  #code(executionId: string): string {
    return hmac(this.app.keys.ids, `veil:${executionId}`).toString('hex').slice(0, 24);
  }

  async #reveal(
    context: ServiceContext,
    tenantId: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const key = names.join();
    // Taken before the values are read, so that values from before a change are not cached.
    const kept = this.#secrets.memo(tenantId);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const ask = async (): Promise<ReadonlyMap<string, string>> => {
      const { values } = await context.call('secrets.reveal', { names: [...names] }, { asServiceOf: tenantId });
      return new Map(Object.entries(values));
    };
    const found = await retryUntilAvailable(this.app, context.log, 'Secrets', ask);
    kept.set(key, found);
    return found;
  }
}
