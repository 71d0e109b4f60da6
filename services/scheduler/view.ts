import { isRefusal } from '../../mixins/admission';
import type { Call } from '../catalogue';
import type { ExecutionStatus } from '../executor/contract';
import type { ScheduleView, SlotView } from './contract';
import type { SlotRecord } from './models';
import { comingStarts } from './rules/timeline';
import type { Schedule, ScheduleStore } from './store';

const SHOWN_NEXT = 5;
const SHOWN_RECENT = 20;

/** A schedule as its tenant sees it. */
export async function scheduleView(store: ScheduleStore, call: Call, schedule: Schedule): Promise<ScheduleView> {
  const { record, timer, line } = schedule;
  const slots = await store.ledger(record.tenant_id, record._id, SHOWN_RECENT);
  return {
    type: 'schedule',
    ...(timer.cron === null ? {} : { cron: timer.cron }),
    ...(timer.every === null ? {} : { every: timer.every }),
    timezone: timer.timezone,
    paused: record.paused,
    next_runs: comingStarts(line, record.next_at?.getTime() ?? null, SHOWN_NEXT).map((at) =>
      new Date(at).toISOString(),
    ),
    recent_runs: await Promise.all(slots.map((slot) => slotView(call, slot))),
    missed_policy: timer.missed,
    window_ms: timer.window_ms,
    overlap_policy: timer.overlap,
    jitter_ms: timer.jitter_ms,
  };
}

const slotView = async (call: Call, slot: SlotRecord): Promise<SlotView> => ({
  scheduled_for: slot.scheduled_for.toISOString(),
  fired_at: slot.fired_at.toISOString(),
  execution_id: slot.execution_id,
  status: await statusOf(call, slot),
  outcome: slot.outcome,
  lag_ms: slot.lag_ms,
  error: slot.error,
});

/** Null for an execution that was removed, and where there was none. */
async function statusOf(call: Call, slot: SlotRecord): Promise<ExecutionStatus | null> {
  const { execution_id: id, tenant_id: asServiceOf } = slot;
  if (id === null) return null;
  try {
    return (await call('executions.settled', { id, wait_ms: 0 }, { asServiceOf })).execution.status;
  } catch (fault) {
    if (isRefusal(fault)) return null;
    throw fault;
  }
}
