import { type Connection, type Model, Schema } from 'mongoose';
import type { ErrorCode } from '../../lib/errors';
import { durableOptions, type Owned, ownedFields } from '../../lib/tenant';
import { createIndexes as ensureIndexes } from '../../lib/indexes';
import type { SlotOutcome, Timer } from '../../contracts/scheduler';

/** An active schedule or poller of a workflow. `_id` is derived from the workflow and the index of the trigger. */
export interface ScheduleRecord extends Owned {
  /** The kind of the timer. */
  kind: Timer['kind'];
  workflow_id: string;
  /** The trigger, as JSON text. */
  timer: string;
  /** Revision of the workflow at the last sync. */
  revision: number;
  /** Starts nothing: the workflow is not active, or the schedule is held. */
  paused: boolean;
  /** The workflow is enabled and approved. Absent in records of earlier versions: the opposite of `paused`. */
  active?: boolean;
  /** Paused itself, by a person. Absent: it is not. */
  held?: boolean;
  /** Start of the intervals of `every`. For a source: when it was configured; it makes its items distinct from those of an earlier source. */
  anchor: Date;
  /** The first slot without an outcome; null while paused, or when there is none. For a source: the next poll. */
  next_at: Date | null;
  /** When a scheduler claims it next: when the slot is due, or when the present claim expires. Null: never. */
  wake_at: Date | null;
  /** The current claim; null without one. */
  holder: string | null;
  /** The last run that it started. */
  last_run: string | null;
  /** Failed attempts to start the next slot, and the last error. */
  tries: number;
  trouble: string | null;
  /** The `PollState` of a source as JSON text; null for a schedule. */
  poll: string | null;
}

/** The outcome of a slot or an item. `_id` is derived from the schedule and the slot or item, so that it is written once. */
export interface SlotRecord extends Owned {
  schedule_id: string;
  scheduled_for: Date;
  /** The id of the item at its source; absent for a slot. */
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
    active: { type: Boolean },
    held: { type: Boolean },
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
)
  .index({ tenant_id: 1, schedule_id: 1, scheduled_for: -1 })
  .index({ tenant_id: 1, fired_at: 1 });

/** The collections that this service owns. */
export const schedulerModels = (db: Connection): SchedulerModels => ({
  schedules: db.model<ScheduleRecord>('schedule', scheduleSchema),
  slots: db.model<SlotRecord>('schedule_slot', slotSchema),
});

/** Creates the indexes for queries and uniqueness; idempotent. */
export async function createIndexes({ schedules, slots }: SchedulerModels): Promise<void> {
  await ensureIndexes(schedules, slots);
}

/** Sets `kind` in records of versions without pollers. Uses an index, so it costs nothing when all records have it. */
export async function bringUpToDate({ schedules }: SchedulerModels): Promise<void> {
  await schedules.updateMany({ kind: null }, { $set: { kind: 'schedule' } }).exec();
}
