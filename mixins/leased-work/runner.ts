import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { PeriodicTask } from '../../lib/periodic';
import type { Owned } from '../../lib/tenant';
import { type FenceFields, Lease, LEASE_MS, type LeaseFields, LeaseLost } from './lease';
import { FairQueue } from './fair-queue';

/** Interval of polls for due work. */
const POLL_MS = 1_000;
/** Pause after a failed poll. */
const POLL_RETRY_MS = 5_000;

interface RunnerDeps<T extends Owned & LeaseFields> {
  readonly model: Model<T>;
  readonly clock: Clock;
  readonly concurrency: number;
  readonly fence: FenceFields<T>;
  /** Does the work and releases the lease. An error is only logged: the lease expires, and another claim retries. */
  readonly process: (lease: Lease<T>) => Promise<void>;
  /** Called after each write of a lease. */
  readonly onWritten?: (record: T) => void;
  /** The records, for log messages: `knowledge bases`. */
  readonly noun: string;
  readonly warn: (message: string, fault: unknown) => void;
}

/** Claims due records of a collection, round-robin by tenant, and processes them with bounded concurrency. */
export class Runner<T extends Owned & LeaseFields> {
  readonly #queue = new FairQueue();
  readonly #leases = new Set<Lease<T>>();
  readonly #running = new Set<Promise<void>>();
  /** Records in progress that a poll claimed; records passed to `execute` do not count. */
  #claimed = 0;
  readonly #poll: PeriodicTask;

  constructor(private readonly deps: RunnerDeps<T>) {
    this.#poll = new PeriodicTask({
      clock: deps.clock,
      intervalMs: POLL_MS,
      retryMs: POLL_RETRY_MS,
      run: async () => {
        while (this.#claimed < deps.concurrency && !this.#poll.isStopped && (await this.#claimNext()));
      },
      onError: (error) => deps.warn(`Polling for work of ${deps.noun} failed: ${errorMessage(error)}`, error),
    });
  }

  /** `exclusive`: this is the only process, so leases of earlier processes are released. */
  async start(exclusive: boolean): Promise<void> {
    const { model, clock } = this.deps;
    if (exclusive) {
      const orphaned = { due_at: { $gt: new Date(0) }, owner: { $gt: '' } } as QueryFilter<T>;
      const free = { $set: { owner: null, due_at: new Date(clock.now()) } } as UpdateQuery<T>;
      await model.updateMany(orphaned, free).exec();
    }
    this.kick();
  }

  /** Aborts running work and releases its leases. */
  async stop(): Promise<void> {
    await this.#poll.stop();
    for (const lease of this.#leases) lease.abandon();
    await Promise.all(this.#running);
  }

  /** Resolves when no poll and no work is running. */
  async idle(): Promise<void> {
    do {
      await this.#poll.idle();
      await Promise.all(this.#running);
    } while (this.#poll.isRunning || this.#running.size > 0);
  }

  /** Polls for work now. */
  kick(): void {
    this.#poll.trigger();
  }

  /** Processes a record that was inserted with a lease of this process. Never rejects. */
  async execute(record: T): Promise<void> {
    await this.#run(record);
  }

  async #claimNext(): Promise<boolean> {
    for (const [round, except] of this.#queue.rounds().entries()) {
      const record = await this.#claim(except);
      if (record === null) continue;
      this.#queue.onClaimed(record.tenant_id, round);
      this.#claimed += 1;
      void this.#run(record).then(() => {
        this.#queue.onFinished(record.tenant_id);
        this.#claimed -= 1;
        this.kick();
      });
      return true;
    }
    this.#queue.reset();
    return false;
  }

  async #claim(except: readonly string[]): Promise<T | null> {
    const { model, clock } = this.deps;
    const now = clock.now();
    // The lower bound matches the filter of the partial index.
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
    const { model, clock, fence, onWritten } = this.deps;
    const lease = new Lease(model, record, clock, fence, onWritten);
    const running = this.#work(lease);
    this.#leases.add(lease);
    this.#running.add(running);
    await running;
    this.#leases.delete(lease);
    this.#running.delete(running);
  }

  async #work(lease: Lease<T>): Promise<void> {
    const { process, warn } = this.deps;
    try {
      await process(lease);
    } catch (fault) {
      if (!(fault instanceof LeaseLost)) warn(`${lease.record._id}: ${errorMessage(fault)}`, fault);
    } finally {
      lease.abandon();
      if (this.#poll.isStopped || lease.isLost) await this.#releaseUnfinished(lease.record);
    }
  }

  /** Releases the lease at once; if the write fails, the lease expires. */
  async #releaseUnfinished({ _id, owner, attempts }: T): Promise<void> {
    if (owner === null) return;
    const { model, clock, warn } = this.deps;
    // An aborted claim does not count as an attempt.
    const before = Math.max(0, attempts - 1);
    const free = { $set: { owner: null, due_at: new Date(clock.now()), attempts: before } };
    await model
      .updateOne({ _id, owner } as QueryFilter<T>, free as unknown as UpdateQuery<T>)
      .exec()
      .catch((fault: unknown) => warn(`The lease of ${_id} could not be released: ${errorMessage(fault)}`, fault));
    this.kick();
  }
}
