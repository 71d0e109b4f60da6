import type { ParamsOf, ResultOf } from '../../contracts/catalogue';
import type { ScheduleTimer } from '../../contracts/scheduler';
import { parseStoredTimer } from '../../lib/stored-timer';
import { ofTenant } from '../../lib/tenant';
import type { SchedulerModels, SlotRecord } from './models';

/** Schedules and fire times that are read at most. */
const MAX_SCHEDULES = 1_000;
const MAX_TIMES = 2_000;

/** Outcomes of fire times that are no concern of lateness: a user chose them. */
const CHOSEN: ReadonlySet<SlotRecord['outcome']> = new Set(['skipped', 'backfilled', 'manual']);
const STARTED: ReadonlySet<SlotRecord['outcome']> = new Set(['fired', 'late']);

/** Fire times of a tenant's active schedules: decided since a time, or due for longer than the grace. */
export async function fireTimes(
  models: SchedulerModels,
  tenantId: string,
  { grace_ms: graceMs, since, now, workflow_ids: ids }: ParamsOf<'scheduler.fire_times'>,
): Promise<ResultOf<'scheduler.fire_times'>> {
  const schedules = await ofTenant(models.schedules, tenantId).find(
    { kind: 'schedule', paused: false, ...(ids === undefined ? {} : { workflow_id: { $in: ids } }) },
    { sort: { workflow_id: 1 }, limit: MAX_SCHEDULES, fields: ['workflow_id', 'next_at', 'timer'] },
  );
  const workflows = new Map(schedules.map(({ _id, workflow_id }) => [_id, workflow_id]));
  const slots = await ofTenant(models.slots, tenantId).find(
    { fired_at: { $gte: new Date(since) } },
    { sort: { fired_at: 1 }, limit: MAX_TIMES },
  );
  const decided = slots.flatMap((slot) => {
    const workflow_id = workflows.get(slot.schedule_id);
    if (workflow_id === undefined || slot.item !== undefined || CHOSEN.has(slot.outcome)) return [];
    const in_time = STARTED.has(slot.outcome) && slot.lag_ms <= graceMs;
    return [
      { workflow_id, ...timeOf(slot.schedule_id, slot.scheduled_for), in_time, decided_at: slot.fired_at.getTime() },
    ];
  });
  const overdue = schedules.flatMap(({ _id, workflow_id, next_at, timer }) =>
    next_at !== null && next_at.getTime() + jitterOf(timer) < now - graceMs
      ? [{ workflow_id, ...timeOf(_id, next_at), in_time: false, decided_at: null }]
      : [],
  );
  return { data: [...decided, ...overdue], scheduled: [...new Set(workflows.values())] };
}

const jitterOf = (timer: string): number => parseStoredTimer<ScheduleTimer>(timer).jitter_ms;

const timeOf = (scheduleId: string, time: Date) => ({ id: `${scheduleId}:${time.getTime()}`, at: time.getTime() });
