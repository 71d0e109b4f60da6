import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { errorMessage } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { Owned } from '../../../mixins/tenant';
import type { Work } from '../models';
import { Lease, LEASE_MS, LeaseLost, type Marks } from './lease';
import { Turns } from './turns';

/** How often what other processes have left is looked for. */
const LOOK_MS = 1_000;
/** After a look that failed. */
const PAUSE_MS = 5_000;

interface RunnerParts<T extends Owned & Work> {
  readonly model: Model<T>;
  readonly clock: Clock;
  /** Pieces of work at the same time. */
  readonly room: number;
  readonly marks: Marks<T>;
  /** Works, and ends the lease. What it throws is only told: the lease lapses, and somebody tries again. */
  readonly work: (lease: Lease<T>) => Promise<void>;
  readonly warn: (message: string, fault: unknown) => void;
}

/** Does what is due on the records of a collection, some at a time, by turns of their tenants. */
export class Runner<T extends Owned & Work> {
  readonly #turns = new Turns();
  readonly #leases = new Set<Lease<T>>();
  readonly #underway = new Set<Promise<void>>();
  /** Pieces of work that were looked for; those that were brought have room of their own. */
  #taken = 0;
  #cancelTimer: (() => void) | null = null;
  #looking: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(private readonly parts: RunnerParts<T>) {}

  /** `exclusive`: no other process can be at work, so whoever seems to be is dead. */
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
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#looking;
    for (const lease of this.#leases) lease.drop();
    await Promise.all(this.#underway);
  }

  /** Answers when all is done that was due, as far as it could be. */
  async settled(): Promise<void> {
    while (this.#looking !== null || this.#underway.size > 0) {
      await this.#looking;
      await Promise.all(this.#underway);
    }
  }

  /** There may be something to do. */
  kick(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
      if (this.#again) this.kick();
    });
  }

  /** Works on a record that was stored as claimed by its maker; answers when that is over, and never rejects. */
  async adopt(record: T): Promise<void> {
    await this.#run(record);
  }

  async #look(): Promise<void> {
    this.#cancelTimer?.();
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        while (this.#taken < this.parts.room && !this.#stopped && (await this.#takeOne()));
      }
      this.#lookLater(LOOK_MS);
    } catch (fault) {
      this.parts.warn(`Work of knowledge bases is not found: ${errorMessage(fault)}`, fault);
      this.#lookLater(PAUSE_MS);
    }
  }

  #lookLater(ms: number): void {
    if (!this.#stopped) this.#cancelTimer = this.parts.clock.after(ms, () => this.kick());
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
      if (this.#stopped || lease.lost) await this.#giveBack(lease.record);
    }
  }

  /** So that others, or other work, can go on at once; where it cannot be told, the lease lapses. */
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
