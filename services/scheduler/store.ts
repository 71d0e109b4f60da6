import { isDuplicateKey } from '../../lib/duplicate-key';
import { type TenantScope, ofTenant } from '../../lib/tenant';
import { parseStoredTimer } from '../../lib/stored-timer';
import { initialFields, type InitialFields } from './initial-state';
import type { PollTimer, ScheduleTimer, Timer } from '../../contracts/scheduler';
import type { ScheduleRecord, SchedulerModels, SlotRecord } from './models';
import { type PollState, readPollState } from './rules/poll-state';
import { type Timeline, timelineOf } from './rules/timeline';

/** A schedule with its timeline. */
export interface Schedule {
  readonly kind: 'schedule';
  readonly record: ScheduleRecord;
  readonly timer: ScheduleTimer;
  readonly line: Timeline;
}

/** A source with its state. */
export interface Source {
  readonly kind: 'poll';
  readonly record: ScheduleRecord;
  readonly timer: PollTimer;
  readonly state: PollState;
}

/** An active schedule or source. */
export type Timed<K extends Timer['kind'] = Timer['kind']> = Extract<Schedule | Source, { kind: K }>;

/** The timers of a workflow as of a revision. */
interface Wanted {
  readonly workflowId: string;
  readonly revision: number;
  readonly active: boolean;
  readonly timers: readonly Timer[];
}

const KEPT_SLOTS = 50;
const MAX_TRIES = 8;

const scheduleId = (workflowId: string, index: number): string => `${workflowId}:${index}`;

/** An entry of the history. `key` is unique within the schedule, so that it is written once. */
export const historyEntry = (
  schedule: ScheduleRecord,
  key: string,
  line: Omit<SlotRecord, '_id' | 'tenant_id' | 'schedule_id'>,
): SlotRecord => ({
  ...line,
  _id: `${schedule._id}:${key}`,
  tenant_id: schedule.tenant_id,
  schedule_id: schedule._id,
});

/** A record with its parsed fields. */
export function timedOf<K extends Timer['kind']>(record: ScheduleRecord): Timed<K> {
  const timer = parseStoredTimer<Timer>(record.timer);
  const timed: Timed =
    timer.kind === 'poll'
      ? { kind: 'poll', record, timer, state: readPollState(record.poll) }
      : { kind: 'schedule', record, timer, line: timelineOf(record._id, timer, record.anchor.getTime()) };
  // The caller queries records by kind.
  return timed as Timed<K>;
}

/** Reads and writes the schedules and sources of a tenant. */
export class ScheduleStore {
  constructor(private readonly models: SchedulerModels) {}

  /** The schedules and sources of a workflow, in the order of its triggers. */
  async ofWorkflow(tenantId: string, workflowId: string): Promise<Timed[]> {
    const records = await this.#of(tenantId).find({ workflow_id: workflowId });
    return records.map((record) => timedOf(record)).sort((a, b) => a.timer.index - b.timer.index);
  }

  /** When workflows are due next. */
  async next(tenantId: string, workflowIds: readonly string[]): Promise<{ workflow_id: string; at: string }[]> {
    const filter = { workflow_id: { $in: [...workflowIds] } };
    const first = new Map<string, Date>();
    for (const { workflow_id, next_at } of await this.#of(tenantId).find(filter, {
      fields: ['workflow_id', 'next_at'],
    })) {
      const known = first.get(workflow_id);
      if (next_at !== null && (known === undefined || next_at < known)) first.set(workflow_id, next_at);
    }
    return [...first].map(([workflow_id, at]) => ({ workflow_id, at: at.toISOString() }));
  }

  /** Outcomes of the last slots or items, newest first. Items of one poll are sorted by their start. */
  history(tenantId: string, schedule: string, limit: number): Promise<SlotRecord[]> {
    return ofTenant(this.models.slots, tenantId).find(
      { schedule_id: schedule },
      { sort: { scheduled_for: -1, fired_at: -1 }, limit },
    );
  }

  /**
   * Updates a workflow's schedules to a revision. An older revision than the stored one changes nothing. An unchanged timer
   * keeps its state; a new or resumed one starts now.
   */
  async sync(tenantId: string, wanted: Wanted, now: number): Promise<void> {
    for (const timer of wanted.timers) await this.#put(tenantId, wanted, timer, now);
    const gone = { workflow_id: wanted.workflowId, revision: { $lt: wanted.revision } };
    const left = await this.#of(tenantId).find(gone, { fields: ['_id'] });
    for (const { _id } of left) await this.#remove(tenantId, { ...gone, _id });
  }

  /** Removes the schedules of a removed workflow. */
  async forget(tenantId: string, workflowId: string): Promise<void> {
    for (const { record } of await this.ofWorkflow(tenantId, workflowId)) {
      await this.#remove(tenantId, { _id: record._id });
    }
  }

  /** Removes all but the last slots of a schedule. */
  async prune(tenantId: string, schedule: string): Promise<void> {
    const slots = ofTenant(this.models.slots, tenantId);
    const page = { sort: { scheduled_for: -1 as const }, offset: KEPT_SLOTS - 1, limit: 1, fields: ['scheduled_for'] };
    const [last] = await slots.find({ schedule_id: schedule }, page);
    if (last !== undefined) await slots.remove({ schedule_id: schedule, scheduled_for: { $lt: last.scheduled_for } });
  }

  async #put(tenantId: string, wanted: Wanted, timer: Timer, now: number): Promise<void> {
    const _id = scheduleId(wanted.workflowId, timer.index);
    const { revision, active } = wanted;
    const begin = (before: ScheduleRecord | null): InitialFields =>
      initialFields(_id, { timer, active, before: before === null ? null : timedOf(before), now });
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = await this.#of(tenantId).findOne({ _id });
      if (found === null) {
        const fresh = { ...begin(null), _id, workflow_id: wanted.workflowId, revision };
        if (await this.#insert(tenantId, fresh)) return;
        continue;
      }
      if (found.revision >= revision) return;
      const stays = found.timer === JSON.stringify(timer) && found.paused === !active;
      const $set = stays ? { revision } : { ...begin(found), revision };
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
