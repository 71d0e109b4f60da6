import { isDuplicateKey } from '../../lib/duplicate-key';
import { type TenantScope, ofTenant } from '../../mixins/tenant';
import type { Timer } from './contract';
import type { ScheduleRecord, SchedulerModels, SlotRecord } from './models';
import { type Timeline, timelineOf } from './rules/timeline';

/** A schedule with its times. */
export interface Schedule {
  readonly record: ScheduleRecord;
  readonly timer: Timer;
  readonly line: Timeline;
}

/** What the workflow says of its schedules since one of its revisions. */
export interface Wanted {
  readonly workflowId: string;
  readonly revision: number;
  readonly active: boolean;
  readonly timers: readonly Timer[];
}

const KEPT_SLOTS = 50;
const MAX_TRIES = 8;

export const scheduleId = (workflowId: string, index: number): string => `${workflowId}:${index}`;

/** The slot's key: rises with time within a schedule. */
const slotId = (schedule: string, slot: Date): string => `${schedule}:${slot.toISOString()}`;

/** What the ledger keeps of a slot. */
export const slotRecord = (schedule: ScheduleRecord, slot: Omit<SlotRecord, '_id' | 'tenant_id' | 'schedule_id'>) => ({
  ...slot,
  _id: slotId(schedule._id, slot.scheduled_for),
  tenant_id: schedule.tenant_id,
  schedule_id: schedule._id,
});

/** A record with its times. */
export function scheduleOf(record: ScheduleRecord): Schedule {
  // Written by `put`, from what the language has checked.
  const timer = JSON.parse(record.timer) as Timer;
  return { record, timer, line: timelineOf(record._id, timer, record.anchor.getTime()) };
}

/** Reads and changes of the schedules of a tenant. */
export class ScheduleStore {
  constructor(private readonly models: SchedulerModels) {}

  /** A workflow's schedules, in the order of its triggers. */
  async ofWorkflow(tenantId: string, workflowId: string): Promise<Schedule[]> {
    const records = await this.#of(tenantId).find({ workflow_id: workflowId });
    return records.map(scheduleOf).sort((a, b) => a.timer.index - b.timer.index);
  }

  /** What became of the last slots, newest first. */
  ledger(tenantId: string, schedule: string, limit: number): Promise<SlotRecord[]> {
    return ofTenant(this.models.slots, tenantId).find(
      { schedule_id: schedule },
      { sort: { scheduled_for: -1 }, limit },
    );
  }

  /**
   * Makes a workflow's schedules what it wants since a revision; what is older than what is known changes nothing. A
   * timer that stays as it was goes on where it is; one that is new, or was paused, begins now.
   */
  async sync(tenantId: string, wanted: Wanted, now: number): Promise<void> {
    for (const timer of wanted.timers) await this.#put(tenantId, wanted, timer, now);
    const gone = { workflow_id: wanted.workflowId, revision: { $lt: wanted.revision } };
    const left = await this.#of(tenantId).find(gone, { fields: ['_id'] });
    for (const { _id } of left) await this.#remove(tenantId, { ...gone, _id });
  }

  /** Forgets the schedules of a workflow that is gone. */
  async forget(tenantId: string, workflowId: string): Promise<void> {
    for (const { record } of await this.ofWorkflow(tenantId, workflowId)) {
      await this.#remove(tenantId, { _id: record._id });
    }
  }

  /** Keeps the last slots of a schedule, and drops those before. */
  async prune(tenantId: string, schedule: string): Promise<void> {
    const slots = ofTenant(this.models.slots, tenantId);
    const page = { sort: { scheduled_for: -1 as const }, skip: KEPT_SLOTS, limit: 1, fields: ['scheduled_for'] };
    const [last] = await slots.find({ schedule_id: schedule }, page);
    if (last !== undefined) await slots.remove({ schedule_id: schedule, scheduled_for: { $lte: last.scheduled_for } });
  }

  async #put(tenantId: string, wanted: Wanted, timer: Timer, now: number): Promise<void> {
    const _id = scheduleId(wanted.workflowId, timer.index);
    const text = JSON.stringify(timer);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = await this.#of(tenantId).findOne({ _id });
      if (found === null) {
        if (await this.#insert(tenantId, { ...begun(_id, wanted, text, now), _id })) return;
        continue;
      }
      if (found.revision >= wanted.revision) return;
      const stays = found.timer === text && found.paused === !wanted.active;
      const anchor = found.timer === text ? found.anchor.getTime() : now;
      const again = { ...begun(_id, wanted, text, now, anchor), last_run: found.last_run };
      const $set = stays ? { revision: wanted.revision } : again;
      if ((await this.#of(tenantId).update({ _id, revision: found.revision }, { $set })) !== null) return;
    }
    throw new Error(`The schedule ${_id} is changed too often`);
  }

  async #insert(tenantId: string, record: Omit<ScheduleRecord, 'tenant_id'>): Promise<boolean> {
    try {
      await this.#of(tenantId).insert(record);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async #remove(tenantId: string, filter: { _id: string }): Promise<void> {
    if ((await this.#of(tenantId).remove(filter)) > 0)
      await ofTenant(this.models.slots, tenantId).remove({ schedule_id: filter._id });
  }

  #of(tenantId: string): TenantScope<ScheduleRecord> {
    return ofTenant(this.models.schedules, tenantId);
  }
}

/** The fields of a schedule that begins now, or is paused. Whoever has claimed it before has lost it. */
function begun(id: string, { workflowId, revision, active }: Wanted, timer: string, now: number, anchor = now) {
  const { line } = scheduleOf({ _id: id, timer, anchor: new Date(anchor) } as ScheduleRecord);
  const slot = active ? line.next(now) : null;
  return {
    workflow_id: workflowId,
    timer,
    revision,
    paused: !active,
    anchor: new Date(anchor),
    next_at: slot === null ? null : new Date(slot),
    wake_at: slot === null ? null : new Date(line.due(slot)),
    holder: null,
    last_run: null,
    tries: 0,
    trouble: null,
  };
}
