import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import { type PreparedPlan, prepare } from '../../dsl';
import { Cache } from '../../lib/cache';
import { hmac } from '../../lib/crypto';
import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { ERRORS, errorCode, errorMessage } from '../../lib/errors';
import { derivedId, randomId } from '../../lib/ids';
import { ReadThrough } from '../../lib/read-through';
import type { ServiceContext } from '../../mixins/service';
import { nodes } from '../../nodes';
import { FLUSH } from '../../runtime/actor/journal';
import { Host } from '../../runtime/host/host';
import { preloadedOutputs } from '../../runtime/host/preload';
import { inputChecks } from '../../runtime/host/registry';
import { Veil } from '../../runtime/rules/veil';
import type { Execution, RunStore } from '../../runtime/store/port';
import { type Collections, ensureIndexes, openCollections } from '../../runtime/store/mongo/collections';
import { mongoHostStore } from '../../runtime/store/mongo/host-store';
import { mongoRunStore } from '../../runtime/store/mongo/run-store';
import type { App } from '../app';
import { approvalUrl } from './approvals';
import { Ends } from './ends';
import { Watched } from './watched';

const PLANS_CACHED = 2_000;
const SECRETS_TTL_MS = 1_000;
const POLL_MS = 1_000;
/** Pauses between tries of a service that does not answer, in milliseconds; the last one repeats. */
const RETRY_MS = [50, 200, 1_000];

/** The machinery behind the executor's menu: the host, its store, and who waits for what on this node. */
export class Engine {
  readonly collections: Collections;
  readonly store: RunStore;
  readonly ends = new Ends();
  readonly watched: Watched;
  readonly #egress: Egress;
  readonly #plans: ReadThrough<PreparedPlan>;
  readonly #secrets: Cache<ReadonlyMap<string, string>>;
  #host: Host | null = null;
  #stopped = false;

  constructor(private readonly app: App) {
    const now = (): number => app.clock.now();
    this.collections = openCollections(app.db.db as unknown as Db);
    this.store = mongoRunStore(this.collections);
    this.watched = new Watched(now);
    this.#egress = createEgress({ allow: parseEgressAllow(app.config.egressAllow) });
    this.#plans = new ReadThrough({ max: PLANS_CACHED, ttlMs: Number.POSITIVE_INFINITY, now });
    this.#secrets = new Cache({ max: 10_000, ttlMs: SECRETS_TTL_MS, now });
  }

  get host(): Host {
    if (this.#host === null) throw new Error('The executor has not started');
    return this.#host;
  }

  async start(context: ServiceContext): Promise<void> {
    await ensureIndexes(this.collections);
    this.#host = this.#makeHost(context);
    await this.#host.start();
  }

  async stop(): Promise<void> {
    await this.#host?.stop(this.app.config.executor.shutdownGraceMs);
    this.#stopped = true;
    await this.#egress.close();
  }

  /** A plan, ready to run. Plans never change, so one that was read stays good. */
  async plan(context: Pick<ServiceContext, 'call'>, tenantId: string, hash: string): Promise<PreparedPlan> {
    return this.#plans.get(hash, async () =>
      prepare(await context.call('workflows.plan', { hash }, { asServiceOf: tenantId })),
    );
  }

  #makeHost(context: ServiceContext): Host {
    const { app } = this;
    const checks = inputChecks();
    const nodeId = context.broker.nodeID;
    const plan = (execution: Pick<Execution, 'planHash' | 'tenantId'>): Promise<PreparedPlan> =>
      this.plan(context, execution.tenantId, execution.planHash);
    return new Host(
      {
        store: this.store,
        hosts: mongoHostStore(this.collections),
        clock: app.clock,
        random: (bytes) => randomBytes(bytes),
        flush: FLUSH,
        node: (type) => nodes.types.get(type),
        check: checks,
        http: this.#egress,
        secrets: (tenantId, names) => this.#reveal(context, tenantId, names),
        idempotencyKey: (executionId, path) => derivedId(app.keys.ids, 'step', executionId, path),
        veil: (executionId) => new Veil(() => this.#code(executionId)),
        log: (execution, level, message, data) =>
          context.log[level](message, {
            execution_id: execution.id,
            tenant_id: execution.tenantId,
            workflow_id: execution.workflowId,
            data,
          }),
        onDurable: (executionId, position) => {
          if (this.watched.has(executionId)) context.broadcast('execution.moved', { id: executionId, position });
        },
        plan,
        preload: async (execution) => {
          const earlier = await this.store.load(execution.preload?.executionId ?? '');
          if (earlier === null || earlier.tenantId !== execution.tenantId) return new Map();
          return preloadedOutputs(this.store, execution, await plan(execution), await plan(earlier), (id) =>
            this.#code(id),
          );
        },
        approvalLink: (executionId, stepId, decision) => approvalUrl(app.config, executionId, stepId, decision),
        onEnded: (execution, ending) => this.ends.tell(execution.id, ending),
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

  /** The code in a run's marks (see Veil): nobody without the key can make it. */
  #code(executionId: string): string {
    return hmac(this.app.keys.ids, `veil:${executionId}`).toString('hex').slice(0, 24);
  }

  /** Waits while the vault does not answer: a run must not fail because a service is being restarted. */
  async #reveal(
    context: ServiceContext,
    tenantId: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const key = `${tenantId}:${names.join()}`;
    const known = this.#secrets.get(key);
    if (known !== undefined) return known;
    for (let tries = 0; ; tries++) {
      try {
        const { values } = await context.call('secrets.reveal', { names: [...names] }, { asServiceOf: tenantId });
        const found = new Map(Object.entries(values));
        this.#secrets.set(key, found);
        return found;
      } catch (fault) {
        if (this.#stopped || !isTemporary(fault)) throw fault;
        context.log.warn(`Secrets cannot be read, trying again: ${errorMessage(fault)}`);
        const pause = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] as number;
        await new Promise<void>((resolve) => this.app.clock.after(pause, resolve));
      }
    }
  }
}

/** Whether the same call may succeed later: ours when their code says so, and every fault of the way there. */
function isTemporary(fault: unknown): boolean {
  const code = errorCode(fault);
  return code === undefined || code === 'internal' || ERRORS[code].retryable;
}
