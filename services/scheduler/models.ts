import { type Connection, type Model, Schema } from 'mongoose';
import type { ErrorCode } from '../../lib/errors';
import { durableOptions, type Owned, ownedFields } from '../../mixins/tenant';
import type { SlotOutcome } from './contract';

/** A `schedule` trigger of a workflow, at work. `_id` is made of the workflow and the trigger's place. */
export interface ScheduleRecord extends Owned {
  workflow_id: string;
  /** The trigger, as JSON text. */
  timer: string;
  /** Of the workflow when it was last heard of. */
  revision: number;
  paused: boolean;
  /** From where `every` counts. */
  anchor: Date;
  /** The first slot that nothing was decided about yet; null while paused, or when there is none. */
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
}

/** What became of a slot. `_id` is made of the schedule and the slot, so that it is written once. */
export interface SlotRecord extends Owned {
  schedule_id: string;
  scheduled_for: Date;
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

const text = { type: String, required: true } as const;
const optionalText = { type: String, default: null } as const;
const instant = { type: Date, required: true } as const;
const optionalInstant = { type: Date, default: null } as const;

const scheduleSchema = new Schema<ScheduleRecord>(
  {
    ...ownedFields,
    workflow_id: text,
    timer: text,
    revision: { type: Number, required: true },
    paused: { type: Boolean, required: true },
    anchor: instant,
    next_at: optionalInstant,
    wake_at: optionalInstant,
    holder: optionalText,
    last_run: optionalText,
    tries: { type: Number, default: 0 },
    trouble: optionalText,
  },
  { ...durableOptions, collection: 'schedules' },
)
  .index({ wake_at: 1 })
  .index({ tenant_id: 1, workflow_id: 1 });

const slotSchema = new Schema<SlotRecord>(
  {
    ...ownedFields,
    schedule_id: text,
    scheduled_for: instant,
    fired_at: instant,
    execution_id: optionalText,
    outcome: text,
    lag_ms: { type: Number, required: true },
    error: { type: new Schema({ code: text, message: text }, { _id: false }), default: null },
  },
  { ...durableOptions, collection: 'schedule_slots' },
).index({ tenant_id: 1, schedule_id: 1, scheduled_for: -1 });

/** The collections that this service owns. */
export const schedulerModels = (db: Connection): SchedulerModels => ({
  schedules: db.model<ScheduleRecord>('schedule', scheduleSchema),
  slots: db.model<SlotRecord>('schedule_slot', slotSchema),
});
