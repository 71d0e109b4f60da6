import { type Connection, type Model, Schema } from 'mongoose';
import type { ErrorCode } from '../../lib/errors';
import { durableOptions, type Owned, ownedFields } from '../../mixins/tenant';
import type { SlotOutcome, Timer } from './contract';

/** A trigger of a workflow that comes by the clock, at work. `_id` is made of the workflow and the trigger's place. */
export interface ScheduleRecord extends Owned {
  /** Of the timer. */
  kind: Timer['kind'];
  workflow_id: string;
  /** The trigger, as JSON text. */
  timer: string;
  /** Of the workflow when it was last heard of. */
  revision: number;
  paused: boolean;
  /** From where `every` counts. Of a source: since when this one is asked; items of another one are others. */
  anchor: Date;
  /** The first slot that nothing was decided about yet; null while paused, or when there is none. Of a source: when it is asked. */
  next_at: Date | null;
  /** When a scheduler is to look at it: when that slot is due; later while one has it. Null for never. */
  wake_at: Date | null;
  /** Which claim has it; null for none. */
  holder: string | null;
  /** The run that it has started last. */
  last_run: string | null;
  /** How often the next slot could not be started, and why. */
  tries: number;
  trouble: string | null;
  /** What is known of a source, as JSON text; null for a schedule. */
  poll: string | null;
}

/** What became of a slot, or of an item. `_id` is made of the schedule and the slot or item, so that it is written once. */
export interface SlotRecord extends Owned {
  schedule_id: string;
  scheduled_for: Date;
  /** What the source calls it; absent for a slot. */
  item?: string;
  fired_at: Date;
  execution_id: string | null;
  outcome: SlotOutcome;
  lag_ms: number;
  error: { code: ErrorCode; message: string } | null;
}

export interface SchedulerModels {
  readonly schedules: Model<ScheduleRecord>;
  readonly slots: Model<SlotRecord>;
}

const must = <T>(type: T) => ({ type, required: true as const });
const may = <T>(type: T) => ({ type, default: null });

const scheduleSchema = new Schema<ScheduleRecord>(
  {
    ...ownedFields,
    kind: must(String),
    workflow_id: must(String),
    timer: must(String),
    revision: must(Number),
    paused: must(Boolean),
    anchor: must(Date),
    next_at: may(Date),
    wake_at: may(Date),
    holder: may(String),
    last_run: may(String),
    tries: { type: Number, default: 0 },
    trouble: may(String),
    poll: may(String),
  },
  { ...durableOptions, collection: 'schedules' },
)
  .index({ kind: 1, wake_at: 1 })
  .index({ tenant_id: 1, workflow_id: 1 });

const slotSchema = new Schema<SlotRecord>(
  {
    ...ownedFields,
    schedule_id: must(String),
    scheduled_for: must(Date),
    item: { type: String },
    fired_at: must(Date),
    execution_id: may(String),
    outcome: must(String),
    lag_ms: must(Number),
    error: { type: new Schema({ code: must(String), message: must(String) }, { _id: false }), default: null },
  },
  { ...durableOptions, collection: 'schedule_slots' },
).index({ tenant_id: 1, schedule_id: 1, scheduled_for: -1 });

/** The collections that this service owns. */
export const schedulerModels = (db: Connection): SchedulerModels => ({
  schedules: db.model<ScheduleRecord>('schedule', scheduleSchema),
  slots: db.model<SlotRecord>('schedule_slot', slotSchema),
});

/** Makes the indexes that queries and uniqueness rely on; does nothing where they exist. */
export async function createIndexes({ schedules, slots }: SchedulerModels): Promise<void> {
  await Promise.all([schedules.createIndexes(), slots.createIndexes()]);
}

/** Gives records from before there were sources to ask their kind; by an index, so that it costs nothing where all have one. */
export async function bringUpToDate({ schedules }: SchedulerModels): Promise<void> {
  await schedules.updateMany({ kind: null }, { $set: { kind: 'schedule' } }).exec();
}
