import type { Collection } from 'mongodb';
import type { Model } from 'mongoose';
import { randomId } from '../../lib/ids';
import { isDuplicateKey } from '../../lib/duplicate-key';
import type { ScheduleRecord, SchedulerModels, SlotRecord } from './models';
import type { Timer } from './contract';
import { type Timed, timedOf } from './store';

/** How a schedule goes on after a claim, and what its ledger gets. */
export interface Advance {
  readonly id: string;
  readonly holder: string;
  readonly set: Partial<ScheduleRecord> & Pick<ScheduleRecord, 'next_at' | 'wake_at'>;
  readonly slots: readonly SlotRecord[];
}

/** The driver's own collection, with the type of its documents. */
const raw = <R extends { _id: string }>(model: Model<R>): Collection<R> => model.collection as unknown as Collection<R>;

/** How much of what is due may be taken, by tenant. */
export interface Room {
  /** Tenants who get no more now. */
  readonly full: readonly string[];
  /** Whether one more of the tenant may be taken; it counts from then on. */
  enter(tenantId: string): boolean;
}

const notOf = ({ full }: Pick<Room, 'full'>) => (full.length === 0 ? {} : { tenant_id: { $nin: [...full] } });

/**
 * Which scheduler has which schedule, or source, for any number of them and all tenants: a claim is a write that only one
 * of several gets. It says who, and is due again when that one has died. Losing a claim does no harm: a slot is started under
 * an id made of itself, so whoever starts it again finds the first.
 */
export class Claims<K extends Timer['kind']> {
  /** `claimMs`: whoever has claimed one and says nothing for this long is taken for dead. */
  constructor(
    private readonly models: SchedulerModels,
    private readonly kind: K,
    private readonly claimMs: number,
  ) {}

  /** Takes due schedules, the longest due first, as many of each tenant as `room` says. */
  async take(now: number, limit: number, room: Room): Promise<Timed<K>[]> {
    const due = { kind: this.kind, wake_at: { $lte: new Date(now) }, ...notOf(room) };
    const fields = ['_id', 'tenant_id'];
    const found = await this.models.schedules.find(due).sort({ wake_at: 1 }).limit(limit).select(fields).lean().exec();
    const chosen = found.filter(({ tenant_id }) => room.enter(tenant_id));
    if (chosen.length === 0) return [];
    const holder = randomId();
    const ids = { $in: chosen.map(({ _id }) => _id) };
    const claim = { $set: { holder, wake_at: new Date(now + this.claimMs) } };
    const { modifiedCount } = await this.models.schedules.updateMany({ _id: ids, ...due }, claim).exec();
    if (modifiedCount === 0) return [];
    return (await this.models.schedules.find({ _id: ids, holder }).lean().exec()).map((record) => timedOf<K>(record));
  }

  /** When the next schedule is due of which one may be taken; null when none will be. */
  async nextWake(room: Pick<Room, 'full'>): Promise<number | null> {
    const first = await this.models.schedules
      // A range of times: for "not null" the built-in store would look at every schedule that is paused.
      .findOne({ kind: this.kind, wake_at: { $gt: new Date(0) }, ...notOf(room) })
      .sort({ wake_at: 1 })
      .select('wake_at')
      .lean()
      .exec();
    return first?.wake_at?.getTime() ?? null;
  }

  /**
   * Lets schedules go on. The ledger comes first: a crash in between repeats the slot, which finds its run and its line.
   * A claim that was lost moves nothing.
   */
  async advance(done: readonly Advance[]): Promise<void> {
    const slots = done.flatMap((each) => each.slots);
    if (slots.length > 0) await this.#write(slots);
    // Past mongoose, which would look at every field of what we have just made, twice a start.
    await raw(this.models.schedules).bulkWrite(
      done.map(({ id, holder, set }) => ({
        updateOne: { filter: { _id: id, holder }, update: { $set: { ...set, holder: null } } },
      })),
      { ordered: false },
    );
  }

  async #write(slots: readonly SlotRecord[]): Promise<void> {
    try {
      await raw(this.models.slots).insertMany([...slots], { ordered: false });
    } catch (error) {
      // What was decided about a slot first stands. All others are in by now.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
