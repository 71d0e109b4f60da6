import type { Collection } from 'mongodb';
import type { Model } from 'mongoose';
import { randomId } from '../../lib/ids';
import { isDuplicateKey } from '../../lib/duplicate-key';
import type { ScheduleRecord, SchedulerModels, SlotRecord } from './models';
import type { Timer } from '../../contracts/scheduler';
import { type Timed, timedOf } from './store';

/** The next state of a schedule after a claim, and its new history entries. */
export interface Advance {
  readonly id: string;
  readonly holder: string;
  readonly set: Partial<ScheduleRecord> & Pick<ScheduleRecord, 'next_at' | 'wake_at'>;
  readonly slots: readonly SlotRecord[];
}

/** The collection of the native driver. */
const raw = <R extends { _id: string }>(model: Model<R>): Collection<R> => model.collection as unknown as Collection<R>;

/** Capacity for claims, by tenant. */
export interface TenantCapacity {
  /** Tenants at their limit. */
  readonly full: readonly string[];
  /** Reserves capacity for one more schedule of the tenant; false at its limit. */
  enter(tenantId: string): boolean;
}

const notOf = ({ full }: Pick<TenantCapacity, 'full'>) => (full.length === 0 ? {} : { tenant_id: { $nin: [...full] } });

/**
 * Claims schedules and sources for scheduler processes. A claim is a conditional write that names its holder and expires
 * when the holder crashes. A lost claim is harmless: the run id is derived from the slot, so a second start finds the first
 * run.
 */
export class Claims<K extends Timer['kind']> {
  /** `claimMs`: a claim that is not renewed for this long expires. */
  constructor(
    private readonly models: SchedulerModels,
    private readonly kind: K,
    private readonly claimMs: number,
  ) {}

  /** Claims due schedules, the longest due first, within the capacity `room`. */
  async take(now: number, limit: number, room: TenantCapacity): Promise<Timed<K>[]> {
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

  /** When the next schedule that may be claimed is due; null when there is none. */
  async nextWake(room: Pick<TenantCapacity, 'full'>): Promise<number | null> {
    const first = await this.models.schedules
      // A time range: with "not null" the built-in store would scan all paused schedules.
      .findOne({ kind: this.kind, wake_at: { $gt: new Date(0) }, ...notOf(room) })
      .sort({ wake_at: 1 })
      .select('wake_at')
      .lean()
      .exec();
    return first?.wake_at?.getTime() ?? null;
  }

  /**
   * Advances schedules. The history is written first: after a crash in between the slot is repeated and finds its run and
   * entry. A lost claim advances nothing.
   */
  async advance(done: readonly Advance[]): Promise<void> {
    const slots = done.flatMap((each) => each.slots);
    if (slots.length > 0) await this.#write(slots);
    // Bypasses mongoose, which would validate every field twice per start.
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
      // The first outcome of a slot is final. The unordered insert has written all others.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
