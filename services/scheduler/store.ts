import type { QueryFilter } from 'mongoose';
import { afterRow, decodeCursor, encodeCursor, invalidCursor } from '../../lib/cursor';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
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
interface WorkflowTimers {
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

/** Which schedules are listed. */
interface ScheduleQuery {
  readonly sort: 'workflow' | 'next';
  readonly cursor?: string | undefined;
  readonly offset: number;
  readonly limit: number;
  readonly paused?: boolean | undefined;
  readonly workflow_id?: string | undefined;
  /** Leaves out what the caller may not see. */
  readonly visible: QueryFilter<ScheduleRecord>;
}

function afterCursor(cursor: string, sort: ScheduleQuery['sort'], field: string): QueryFilter<ScheduleRecord> {
  const [of, key, id] = decodeCursor(cursor);
  const isKey = sort === 'next' ? Number.isSafeInteger(key) : typeof key === 'string';
  if (of !== sort || !isKey || typeof id !== 'string') throw invalidCursor();
  return afterRow(field, 1, sort === 'next' ? new Date(key as number) : (key as string), id);
}

export const noSchedule = (): AppError => new AppError('not_found', 'The workflow has no such schedule');

/** True when the schedule was paused itself. */
export const isHeld = ({ held }: ScheduleRecord): boolean => held === true;
/** True when the workflow may start. */
export const isActive = ({ active, paused }: ScheduleRecord): boolean => active ?? !paused;

/** Reads and writes the schedules and sources of a tenant. */
export class ScheduleStore {
  constructor(private readonly models: SchedulerModels) {}

  /** A page of the schedules, in the order of their workflows or of their next times. @throws AppError invalid_request */
  async list(tenantId: string, asked: ScheduleQuery): Promise<{ data: Schedule[]; next_cursor: string | null }> {
    const { sort, cursor, offset, limit } = asked;
    const field = sort === 'next' ? 'next_at' : 'workflow_id';
    const clauses: QueryFilter<ScheduleRecord>[] = [
      { kind: 'schedule' },
      asked.visible,
      ...(asked.paused === undefined ? [] : [{ paused: asked.paused }]),
      ...(asked.workflow_id === undefined ? [] : [{ workflow_id: asked.workflow_id }]),
      ...(sort === 'next' ? [{ next_at: { $gt: new Date(0) } }] : []),
      ...(cursor === undefined ? [] : [afterCursor(cursor, sort, field)]),
    ];
    const records = await this.#of(tenantId).find(
      { $and: clauses },
      { sort: { [field]: 1, _id: 1 }, offset: cursor === undefined ? offset : 0, limit: limit + 1 },
    );
    const data = records.slice(0, limit).map((record) => timedOf<'schedule'>(record));
    const last = records.length > limit ? data.at(-1)?.record : undefined;
    const key = sort === 'next' ? (last?.next_at?.getTime() ?? null) : (last?.workflow_id ?? null);
    return { data, next_cursor: last === undefined ? null : encodeCursor(sort, key, last._id) };
  }

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
  async sync(tenantId: string, wanted: WorkflowTimers, now: number): Promise<void> {
    for (const timer of wanted.timers) await this.#put(tenantId, wanted, timer, now);
    const gone = { workflow_id: wanted.workflowId, revision: { $lt: wanted.revision } };
    const left = await this.#of(tenantId).find(gone, { fields: ['_id'] });
    for (const { _id } of left) await this.#remove(tenantId, { ...gone, _id });
  }

  /** Pauses or resumes a schedule. A resumed one continues with the times from `now` on. @throws AppError not_found, conflict */
  async hold(tenantId: string, scheduleId: string, held: boolean, now: number): Promise<Schedule> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = await this.#of(tenantId).findOne({ _id: scheduleId, kind: 'schedule' });
      if (found === null) throw noSchedule();
      const before = timedOf<'schedule'>(found);
      if (isHeld(found) === held) return before;
      const active = isActive(found);
      const begun = initialFields(scheduleId, { timer: before.timer, active: active && !held, before, now });
      const same = { _id: scheduleId, revision: found.revision, timer: found.timer, paused: found.paused };
      const changed = await this.#of(tenantId).update(same, { $set: { ...begun, active, held } });
      if (changed !== null) return timedOf<'schedule'>(changed);
    }
    throw new AppError('conflict', 'The schedule is being changed by another request; try again');
  }

  /** Records the run that was started for an entry outside of its fire time; an entry with a run is final. `isNew`: the run is. */
  async recordRun(tenantId: string, entry: SlotRecord, isNew: boolean): Promise<void> {
    const { _id, tenant_id: _tenant, ...fields } = entry;
    const slots = ofTenant(this.models.slots, tenantId);
    if ((await slots.update({ _id, execution_id: null }, { $set: fields })) !== null || !isNew) return;
    await slots.insert(entry).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
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

  async #put(tenantId: string, wanted: WorkflowTimers, timer: Timer, now: number): Promise<void> {
    const _id = scheduleId(wanted.workflowId, timer.index);
    const { revision, active } = wanted;
    const begin = (before: ScheduleRecord | null): InitialFields & Pick<ScheduleRecord, 'active'> => {
      const starts = active && !(before !== null && isHeld(before));
      const fields = { timer, active: starts, before: before === null ? null : timedOf(before), now };
      return { ...initialFields(_id, fields), active };
    };
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = await this.#of(tenantId).findOne({ _id });
      if (found === null) {
        const fresh = { ...begin(null), _id, workflow_id: wanted.workflowId, revision };
        if (await this.#insert(tenantId, fresh)) return;
        continue;
      }
      if (found.revision >= revision) return;
      const stays = found.timer === JSON.stringify(timer) && isActive(found) === active;
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
