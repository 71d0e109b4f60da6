import type { Db } from 'mongodb';
import type { PreparedPlan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import type { ServiceContext } from '../../mixins/service';
import type { Execution, HostStore, RunStore } from '../../runtime/store/port';
import { type Collections, ensureIndexes, openCollections } from '../../runtime/store/mongo/collections';
import { mongoHostStore } from '../../runtime/store/mongo/host-store';
import { mongoRunStore } from '../../runtime/store/mongo/run-store';
import type { App } from '../app';
import { Patience } from './patience';
import { Plans } from './plans';
import { AnnouncedRemovals } from './retention/announced';
import { createKinIndexes } from './retention/expired';
import type { Tidings } from './tidings';
import { Usage } from './usage';
import { Variables } from './variables';

/** How long to wait for word of a run's end before looking at its document. */
const LOOK_MS = 2_000;
/** What is left of a grace for the answers to go out. */
const ANSWER_MS = 500;

/** What is on record of runs: all that a node needs that hosts none of them. */
export class Records {
  readonly collections: Collections;
  readonly store: RunStore;
  readonly hosts: HostStore;
  /** What tenants have used of what their plans allow. */
  readonly usage: Usage;
  /** Runs whose history is over. */
  readonly removals: AnnouncedRemovals;
  /** Of callers who can ask another node for the same run at once. */
  readonly asHost: Patience;
  /** Of all others: their runs go on elsewhere, unless this process is the only one. */
  readonly asFront: Patience;
  readonly #plans: Plans;
  readonly #variables: Variables;

  constructor(
    private readonly app: App,
    readonly tidings: Tidings,
  ) {
    const db = app.db.db as unknown as Db;
    this.collections = openCollections(db);
    this.store = mongoRunStore(this.collections, app.runFormats);
    this.usage = new Usage(app, db, this.collections, this.store);
    this.hosts = mongoHostStore(this.collections);
    this.removals = new AnnouncedRemovals(db);
    this.#plans = new Plans(app);
    this.#variables = new Variables(app);
    const grace = app.exclusive ? 0 : app.config.executor.shutdownGraceMs - ANSWER_MS;
    this.asHost = new Patience(app.stopping, app.clock, 0);
    this.asFront = new Patience(app.stopping, app.clock, grace);
  }

  /** Makes the indexes; safe to repeat. */
  async createIndexes(): Promise<void> {
    await Promise.all([
      ensureIndexes(this.collections),
      createKinIndexes(this.collections.executions),
      this.removals.createIndexes(),
      this.usage.createIndexes(),
    ]);
  }

  /** A plan, ready to run. Plans never change, so one that was read stays good. */
  plan(context: Pick<ServiceContext, 'call'>, tenantId: string, hash: string): Promise<PreparedPlan> {
    return this.#plans.get(context, tenantId, hash);
  }

  /** The tenant's constants by name, as they are now. */
  vars(context: Pick<ServiceContext, 'call'>, tenantId: string): Promise<JsonObject> {
    return this.#variables.of(context, tenantId);
  }

  /** Drops what caches here have of it. */
  forget(pattern: string): void {
    this.#variables.forget(pattern);
  }

  /**
   * The run when it has ended, or as it is at the deadline (epoch milliseconds), or when the patience is over. Any host
   * may end it.
   */
  async settled(deadline: number, id: string, patience: Patience, look: () => Promise<Execution>): Promise<Execution> {
    for (;;) {
      const left = deadline - this.app.clock.now();
      // Listened for from before the look, so that an end between the two is heard of.
      const end = this.tidings.ended(id, Math.max(0, Math.min(left, LOOK_MS)));
      const done = patience.wait(end.stop);
      try {
        const execution = await look();
        if (execution.status !== 'running' || left <= 0 || patience.over) return execution;
        await end.heard;
      } finally {
        done();
        end.stop();
      }
    }
  }
}
