import type { Db } from 'mongodb';
import type { PreparedPlan } from '../../dsl';
import type { ServiceContext } from '../../mixins/service';
import type { Execution, HostStore, RunStore } from '../../runtime/store/port';
import { type Collections, openCollections } from '../../runtime/store/mongo/collections';
import { mongoHostStore } from '../../runtime/store/mongo/host-store';
import { mongoRunStore } from '../../runtime/store/mongo/run-store';
import type { App } from '../app';
import { Plans } from './plans';
import type { Tidings } from './tidings';

/** How long to wait for word of a run's end before looking at its document. */
const LOOK_MS = 2_000;

/** What is on record of runs: all that a node needs that hosts none of them. */
export class Records {
  readonly collections: Collections;
  readonly store: RunStore;
  readonly hosts: HostStore;
  readonly #plans: Plans;

  constructor(
    private readonly app: App,
    readonly tidings: Tidings,
  ) {
    this.collections = openCollections(app.db.db as unknown as Db);
    this.store = mongoRunStore(this.collections);
    this.hosts = mongoHostStore(this.collections);
    this.#plans = new Plans(app);
  }

  /** A plan, ready to run. Plans never change, so one that was read stays good. */
  plan(context: Pick<ServiceContext, 'call'>, tenantId: string, hash: string): Promise<PreparedPlan> {
    return this.#plans.get(context, tenantId, hash);
  }

  /**
   * The run when it has ended, or as it is at the deadline (epoch milliseconds). Any host may end it; a process that
   * is told to stop answers at once, so that the caller can ask another one.
   */
  async settled(deadline: number, id: string, look: () => Promise<Execution>): Promise<Execution> {
    for (;;) {
      const left = deadline - this.app.clock.now();
      // Listened for from before the look, so that an end between the two is heard of.
      const end = this.tidings.ended(id, Math.max(0, Math.min(left, LOOK_MS)));
      const execution = await look();
      if (execution.status !== 'running' || left <= 0 || this.app.stopping.aborted) {
        end.stop();
        return execution;
      }
      await end.heard;
    }
  }
}
