import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { errorMessage } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { PeriodicTask } from '../../../lib/periodic';
import type { Owned } from '../../../lib/tenant';
import type { Work } from '../models';
import { Lease, LEASE_MS, LeaseLost, type Marks } from './lease';
import { FairQueue } from './fair-queue';

/** How often what other processes have left is looked for. */
const LOOK_MS = 1_000;
/** After a look that failed. */
const PAUSE_MS = 5_000;

interface RunnerParts<T extends Owned & Work> {
  readonly model: Model<T>;
  readonly clock: Clock;
  /** Pieces of work at the same time. */
  readonly concurrency: number;
  readonly marks: Marks<T>;
  /** Does the work and ends the lease. An error is only logged: the lease expires, and a process tries again. */
  readonly work: (lease: Lease<T>) => Promise<void>;
  readonly warn: (message: string, fault: unknown) => void;
}

/** Does what is due on the records of a collection, some at a time, by turns of their tenants. */
export class Runner<T extends Owned & Work> {
  readonly #turns = new FairQueue();
  readonly #leases = new Set<Lease<T>>();
  readonly #underway = new Set<Promise<void>>();
  /** Pieces of work that were looked for; those that were handed over do not count here. */
  #taken = 0;
  readonly #search: PeriodicTask;

  constructor(private readonly parts: RunnerParts<T>) {
    this.#search = new PeriodicTask({
      clock: parts.clock,
      intervalMs: LOOK_MS,
      retryMs: PAUSE_MS,
      run: async () => {
        while (this.#taken < parts.concurrency && !this.#search.isStopped && (await this.#takeOne()));
      },
      onError: (error) => parts.warn(`Due work of knowledge bases could not be read: ${errorMessage(error)}`, error),
    });
  }

  /** `exclusive`: there is no other process, so a lease of another one is dead. */
  async start(exclusive: boolean): Promise<void> {
    const { model, clock } = this.parts;
    if (exclusive) {
      const orphaned = { due_at: { $gt: new Date(0) }, owner: { $gt: '' } } as QueryFilter<T>;
      const free = { $set: { owner: null, due_at: new Date(clock.now()) } } as UpdateQuery<T>;
      await model.updateMany(orphaned, free).exec();
    }
    this.kick();
  }

  /** What is under way is aborted, and can be taken up by others at once. */
  async stop(): Promise<void> {
    await this.#search.stop();
    for (const lease of this.#leases) lease.drop();
    await Promise.all(this.#underway);
  }

  /** Answers when all is done that was due, as far as it could be. */
  async settled(): Promise<void> {
    do {
      await this.#search.idle();
      await Promise.all(this.#underway);
    } while (this.#search.isRunning || this.#underway.size > 0);
  }

  /** There may be something to do. */
  kick(): void {
    this.#search.trigger();
  }

  /** Works on a record that was stored as claimed by its maker; answers when that is over, and never rejects. */
  async execute(record: T): Promise<void> {
    await this.#run(record);
  }

  async #takeOne(): Promise<boolean> {
    for (const [round, except] of this.#turns.rounds().entries()) {
      const record = await this.#claim(except);
      if (record === null) continue;
      this.#turns.begin(record.tenant_id, round);
      this.#taken += 1;
      void this.#run(record).then(() => {
        this.#turns.end(record.tenant_id);
        this.#taken -= 1;
        this.kick();
      });
      return true;
    }
    this.#turns.anew();
    return false;
  }

  async #claim(except: readonly string[]): Promise<T | null> {
    const { model, clock } = this.parts;
    const now = clock.now();
    // The lower bound is the index's own.
    const due = { due_at: { $gt: new Date(0), $lte: new Date(now) } };
    const others = except.length === 0 ? {} : { tenant_id: { $nin: [...except] } };
    const claim = { $set: { owner: randomId(), due_at: new Date(now + LEASE_MS) }, $inc: { attempts: 1 } };
    return model
      .findOneAndUpdate({ ...due, ...others } as QueryFilter<T>, claim as unknown as UpdateQuery<T>, {
        sort: { due_at: 1 },
        returnDocument: 'after',
      })
      .lean<T>()
      .exec();
  }

  async #run(record: T): Promise<void> {
    const { model, clock, marks } = this.parts;
    const lease = new Lease(model, record, clock, marks);
    const running = this.#work(lease);
    this.#leases.add(lease);
    this.#underway.add(running);
    await running;
    this.#leases.delete(lease);
    this.#underway.delete(running);
  }

  async #work(lease: Lease<T>): Promise<void> {
    const { work, warn } = this.parts;
    try {
      await work(lease);
    } catch (fault) {
      if (!(fault instanceof LeaseLost)) warn(`${lease.record._id}: ${errorMessage(fault)}`, fault);
    } finally {
      lease.drop();
      if (this.#search.isStopped || lease.lost) await this.#giveBack(lease.record);
    }
  }

  /** Releases the record at once; where the write fails, the lease expires. */
  async #giveBack({ _id, owner, attempts }: T): Promise<void> {
    if (owner === null) return;
    const { model, clock, warn } = this.parts;
    // This claim was no failure.
    const before = Math.max(0, attempts - 1);
    const free = { $set: { owner: null, due_at: new Date(clock.now()), attempts: before } };
    await model
      .updateOne({ _id, owner } as QueryFilter<T>, free as unknown as UpdateQuery<T>)
      .exec()
      .catch((fault: unknown) => warn(`${_id} is not given back: ${errorMessage(fault)}`, fault));
    this.kick();
  }
}
