import type { Db } from 'mongodb';
import type { ServiceBroker } from 'moleculer';
import type { PreparedPlan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import type { ServiceContext } from '../../mixins/service';
import { StartRun } from '../../mixins/start-run';
import type { Execution } from '../../runtime/core/model';
import type { GroupStore } from '../../runtime/ports/group-store';
import type { HostStore } from '../../runtime/ports/host-store';
import type { LogStore } from '../../runtime/ports/log-store';
import type { RunStore } from '../../runtime/ports/run-store';
import { Gatherings } from '../../runtime/worker/gatherings';
import { type Collections, openCollections } from '../../runtime/mongo/collections';
import { mongoWindowStore } from '../../runtime/mongo/window-store';
import { mongoGatheringStore } from '../../runtime/mongo/gathering-store';
import type { GatheringStore } from '../../runtime/ports/gathering-store';
import type { WindowStore } from '../../runtime/ports/window-store';
import { mongoGroupStore } from '../../runtime/mongo/group-store';
import { mongoHostStore } from '../../runtime/mongo/host-store';
import { mongoLogStore } from '../../runtime/mongo/log-store';
import { ensureIndexes } from '../../runtime/mongo/indexes';
import { mongoRunStore } from '../../runtime/mongo/run-store';
import { type App, appOf } from '../app';
import { ShutdownGrace } from './shutdown-grace';
import { Plans } from './plans';
import { PendingRemovals } from './retention/pending-removals';
import { Subscriptions } from './subscriptions';
import { RunEndFeed } from './run-end-feed';
import { TenantEvents } from '../../mixins/tenant-events';
import { RunNotices } from './run-notices';
import { Usage } from './usage';
import { Variables } from './variables';

/** How long to wait for the notification of a run's end before its document is read. */
const POLL_MS = 2_000;
/** Part of the shutdown grace period that is reserved for sending responses. */
const ANSWER_MS = 500;

/** Stores and caches of runs that a node needs even when it hosts no run. */
export class Records {
  readonly collections: Collections;
  readonly store: RunStore;
  readonly hosts: HostStore;
  readonly logs: LogStore;
  readonly groups: GroupStore;
  readonly windows: WindowStore;
  readonly gatherings: GatheringStore;
  /** Gives starts to the runs that gather them, where no host can be reached. */
  readonly gatherer: Gatherings;
  /** Usage and limits of tenants. */
  readonly usage: Usage;
  /** Runs that are being removed after their retention period. */
  readonly removals: PendingRemovals;
  /** Shutdown grace of callers that can wait at another node, unless this process is the only one. */
  readonly asHost: ShutdownGrace;
  /** Shutdown grace of all other callers: their runs continue on other hosts. */
  readonly asFront: ShutdownGrace;
  readonly starts: StartRun;
  /** Integrators that get the events of their tenants' runs. */
  readonly subscriptions: Subscriptions;
  /** Nodes that subscribe to the events of tenants. */
  readonly tenantEvents: TenantEvents;
  readonly notices: RunNotices;
  readonly #plans: Plans;
  readonly #variables: Variables;

  constructor(
    private readonly app: App,
    readonly runEnds: RunEndFeed,
  ) {
    const db = app.db.db as unknown as Db;
    this.collections = openCollections(db);
    this.store = mongoRunStore(this.collections, app.runFormats);
    this.usage = new Usage(app, db, this.collections, this.store);
    this.hosts = mongoHostStore(this.collections);
    this.logs = mongoLogStore(this.collections);
    this.groups = mongoGroupStore(this.collections);
    this.gatherings = mongoGatheringStore(this.collections);
    this.windows = mongoWindowStore(this.collections);
    this.gatherer = new Gatherings({
      store: this.store,
      gatherings: this.gatherings,
      clock: app.clock,
      poke: () => {},
    });
    this.removals = new PendingRemovals(db);
    this.starts = new StartRun(app);
    this.subscriptions = new Subscriptions(app);
    this.tenantEvents = new TenantEvents(app.clock);
    this.notices = new RunNotices(this.tenantEvents, app.clock);
    this.#plans = new Plans(app);
    this.#variables = new Variables(app);
    const grace = app.config.executor.shutdownGraceMs - ANSWER_MS;
    this.asHost = new ShutdownGrace(app.stopping, app.clock, app.exclusive ? grace : 0);
    this.asFront = new ShutdownGrace(app.stopping, app.clock, grace);
  }

  /** Creates the indexes; idempotent. */
  async createIndexes(): Promise<void> {
    await Promise.all([
      ensureIndexes(this.collections),
      this.removals.createIndexes(),
      this.usage.statistics.createIndexes(),
      this.usage.breakdowns.createIndexes(),
    ]);
  }

  /** A prepared plan. Plans never change, so a cached one stays valid. */
  plan(context: Pick<ServiceContext, 'call'>, tenantId: string, hash: string): Promise<PreparedPlan> {
    return this.#plans.get(context, tenantId, hash);
  }

  /** The tenant's current constants by name. */
  vars(context: Pick<ServiceContext, 'call'>, tenantId: string): Promise<JsonObject> {
    return this.#variables.of(context, tenantId);
  }

  /** Resolves all waiting callers: this is the only process, and its runs have stopped. */
  stopWaiting(): void {
    this.asHost.end();
    this.asFront.end();
  }

  /** Drops the cached values that match a pattern. */
  forget(pattern: string): void {
    this.#variables.forget(pattern);
    this.usage.limits.forget(pattern);
    this.starts.forget(pattern);
  }

  /**
   * Waits until a run has ended on any host, the deadline (epoch milliseconds) has passed, or the shutdown grace is over.
   * Returns the run.
   */
  async settled(
    deadline: number,
    id: string,
    grace: ShutdownGrace,
    look: () => Promise<Execution>,
  ): Promise<Execution> {
    for (;;) {
      const left = deadline - this.app.clock.now();
      // Subscribes before the read, so that an end in between is not missed.
      const end = this.runEnds.ended(id, Math.max(0, Math.min(left, POLL_MS)));
      const done = grace.wait(end.stop);
      try {
        const execution = await look();
        if (execution.status !== 'running' || left <= 0 || grace.over) return execution;
        await end.finished;
      } finally {
        done();
        end.stop();
      }
    }
  }
}

const ofBrokers = new WeakMap<ServiceBroker, Records>();

/** The records that `executor` and `executions` share on a broker. */
export function recordsOf(broker: ServiceBroker): Records {
  let records = ofBrokers.get(broker);
  if (records === undefined) {
    const app = appOf(broker);
    records = new Records(app, new RunEndFeed(app));
    ofBrokers.set(broker, records);
  }
  return records;
}
