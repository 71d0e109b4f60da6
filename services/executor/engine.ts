import { randomBytes } from 'node:crypto';
import type { PreparedPlan } from '../../dsl';
import { Cache } from '../../lib/cache';
import { hmac } from '../../lib/crypto';
import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { errorMessage } from '../../lib/errors';
import { derivedId, randomId } from '../../lib/ids';
import type { ServiceContext } from '../../mixins/service';
import { FLUSH } from '../../runtime/actor/journal';
import type { Said } from '../../runtime/actor/speech';
import { Host } from '../../runtime/host/host';
import { inheritedEntries } from '../../runtime/host/preload';
import { inputChecks } from '../../runtime/host/registry';
import { Veil } from '../../runtime/rules/veil';
import type { Execution } from '../../runtime/store/port';
import { mongoGroupStore } from '../../runtime/store/mongo/group-store';
import { mongoSlotStore } from '../../runtime/store/mongo/slot-store';
import { mongoOutboxStore } from '../../runtime/store/mongo/outbox-store';
import { mongoOutputStore } from '../../runtime/store/mongo/output-store';
import type { App } from '../app';
import { watchGroup } from '../catalogue';
import { answered } from './answered';
import { approvalUrl } from './approvals';
import { childStarter } from './children';
import { HostConnections } from './connections';
import { signalEmitter } from './emitting';
import { Ends } from './ends';
import { hostFiles } from './files';
import { hostKnowledge } from './knowledge';
import { announcer, Listeners } from './listeners';
import { Means } from './means';
import { hintMail } from './messages';
import { countEnd, lookAtHost, metersOf } from './metering';
import { HostNodeTypes } from './node-types';
import type { Records } from './records';
import { traceEnd } from './tracing';
import { hostSkills } from './skills';
import { Watched } from './watched';

const SECRETS_TTL_MS = 1_000;
const POLL_MS = 1_000;

/** The machinery of a node that hosts executions: the host, and who waits for what. */
export class Engine {
  readonly ends = new Ends();
  readonly watched: Watched;
  /** Those who also want to hear what runs say. */
  readonly listened: Watched;
  readonly nodeTypes: HostNodeTypes;
  readonly listeners: Listeners;
  readonly #egress: Egress;
  readonly #means: Means;
  readonly #secrets: Cache<ReadonlyMap<string, string>>;
  readonly #connections: HostConnections;
  #host: Host | null = null;
  #stopping: Promise<void> | null = null;
  #leaveMetrics: () => void = () => {};

  constructor(
    private readonly app: App,
    readonly records: Records,
  ) {
    const now = (): number => app.clock.now();
    this.watched = new Watched(now);
    this.listened = new Watched(now);
    this.nodeTypes = new HostNodeTypes(app);
    this.listeners = new Listeners(app);
    const allow = parseEgressAllow(app.config.egressAllow);
    this.#egress = createEgress({ allow });
    this.#means = new Means(app, allow);
    this.#connections = new HostConnections(app);
    this.#secrets = new Cache({ max: 10_000, ttlMs: SECRETS_TTL_MS, now });
  }

  get host(): Host {
    if (this.#host === null) throw new Error('The executor has not started');
    return this.#host;
  }

  /** Drops what caches here have of it. */
  forget(pattern: string): void {
    this.listeners.forget(pattern);
    this.nodeTypes.forget(pattern);
    this.#connections.forget(pattern);
    this.records.forget(pattern);
  }

  async start(context: ServiceContext): Promise<void> {
    await this.records.createIndexes();
    this.#host = this.#makeHost(context);
    await this.#host.start();
    this.#leaveMetrics = lookAtHost(this.app.metrics, this.#host, this.app.config.executor.capacity, this.records);
    // Calls are still answered then: callers who wait hear that they must ask elsewhere.
    this.app.stopping.addEventListener('abort', () => void this.#drain(), { once: true });
  }

  async stop(): Promise<void> {
    this.#leaveMetrics();
    await this.#drain();
    await Promise.all([this.#egress.close(), this.#means.close()]);
  }

  #drain(): Promise<void> {
    this.ends.letGo();
    this.#stopping ??= this.#host?.stop(this.app.config.executor.shutdownGraceMs) ?? Promise.resolve();
    return this.#stopping;
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
        limit: async (tenantId) => (await records.usage.limits.of(context, tenantId)).concurrent_executions,
        groups: mongoGroupStore(records.collections),
        outboxes: mongoOutboxStore(records.collections),
        outputs: mongoOutputStore(records.collections),
        clock: app.clock,
        random: (bytes) => randomBytes(bytes),
        flush: FLUSH,
        meters: metersOf(app.metrics),
        tracer: app.tracer,
        node: (type, tenantId) => this.nodeTypes.find(context, type, tenantId),
        means: (tenantId) => this.#means.of(tenantId),
        check: checks,
        http: this.#egress,
        secrets: (tenantId, names) => this.#reveal(context, tenantId, names),
        connection: (tenantId, ref, wanted, signal) => this.#connections.find(context, tenantId, ref, wanted, signal),
        files: hostFiles(app, context),
        skills: hostSkills(app, context),
        knowledge: hostKnowledge(app, context),
        idempotencyKey: (executionId, path) => derivedId(app.keys.ids, 'step', executionId, path),
        childId: (executionId, path, n) => derivedId(app.keys.ids, 'child', executionId, path, String(n)),
        startChild: childStarter(app, context),
        emit: signalEmitter(context),
        heard: this.listeners.heard(context),
        announce: announcer(context, store),
        veil: (executionId) => new Veil(() => this.#code(executionId)),
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
        audience: ({ id }) => (this.listened.nodes(id).length === 0 ? null : (said) => this.#said(context, id, said)),
        onDurable: (executionId) => this.#moved(context, executionId, false),
        plan,
        vars: (tenantId) => records.vars(context, tenantId),
        inherited: async (execution) => {
          const earlier = await store.load(execution.preload?.executionId ?? '');
          if (earlier === null || earlier.tenantId !== execution.tenantId) return [];
          return inheritedEntries(store, execution, await plan(execution), await plan(earlier), (id) => this.#code(id));
        },
        approvalLink: (executionId, stepId, decision) => approvalUrl(app.config, executionId, stepId, decision),
        onEnded: (execution, ending) => {
          this.ends.tell(execution.id, ending);
          countEnd(app.metrics, execution, ending);
          traceEnd(app.tracer, execution, ending);
          this.#moved(context, execution.id, true);
        },
        onPosted: (executionId, owner) => hintMail(context, executionId, owner),
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

  #moved(context: ServiceContext, id: string, ended: boolean): void {
    const nodes = this.watched.nodes(id);
    if (nodes.length > 0) context.broadcast('execution.moved', { id, ended }, nodes.map(watchGroup));
  }

  #said(context: ServiceContext, id: string, { stepId, take, at, text }: Said): void {
    const nodes = this.listened.nodes(id);
    if (nodes.length === 0) return;
    context.broadcast('execution.said', { id, step_id: stepId, take, at, text }, nodes.map(watchGroup));
  }

  /** The code in a run's marks (see Veil): nobody without the key can make it. */
  #code(executionId: string): string {
    return hmac(this.app.keys.ids, `veil:${executionId}`).toString('hex').slice(0, 24);
  }

  async #reveal(
    context: ServiceContext,
    tenantId: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const key = `${tenantId}:${names.join()}`;
    const known = this.#secrets.get(key);
    if (known !== undefined) return known;
    const ask = async (): Promise<ReadonlyMap<string, string>> => {
      const { values } = await context.call('secrets.reveal', { names: [...names] }, { asServiceOf: tenantId });
      return new Map(Object.entries(values));
    };
    const found = await answered(this.app, context.log, 'Secrets', ask);
    this.#secrets.set(key, found);
    return found;
  }
}
