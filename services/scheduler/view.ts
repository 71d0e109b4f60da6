import type { Call } from '../../contracts/catalogue';
import type { ExecutionStatus } from '../../contracts/executions/views';
import type { ItemView, PollView, ScheduleRow, ScheduleView, SlotView, TriggerView } from '../../contracts/scheduler';
import type { StartSnapshot } from '../../contracts/workflows/views';
import { batchesOf } from '../../lib/batches';
import { TimeSlice } from '../../lib/time-slices';
import type { SlotRecord } from './models';
import { comingStarts } from './rules/timeline';
import { isActive, isHeld, type Schedule, type ScheduleStore, type Source, type Timed } from './store';

const SHOWN_NEXT = 5;
const SHOWN_RECENT = 20;
/** Of each row of a list. */
const LISTED_RECENT = 8;
/** Runs whose status is read in one call. */
const MAX_STATUSES = 400;

/** Statuses of runs by id. */
type Statuses = ReadonlyMap<string, ExecutionStatus>;

/** The API views of a workflow's schedules and pollers. */
export async function triggerViews(store: ScheduleStore, call: Call, timed: readonly Timed[]): Promise<TriggerView[]> {
  const lines = await Promise.all(timed.map(({ record }) => store.history(record.tenant_id, record._id, SHOWN_RECENT)));
  const statuses = await statusesOf(call, lines.flat());
  return timed.map((each, index) => {
    const recent = lines[index] ?? [];
    return each.kind === 'poll' ? pollView(each, recent, statuses) : scheduleView(each, recent, statuses);
  });
}

async function statusesOf(call: Call, lines: readonly SlotRecord[]): Promise<Statuses> {
  const ids = lines.flatMap(({ execution_id: id }) => id ?? []);
  const [line] = lines;
  if (line === undefined) return new Map();
  const asService = { asServiceOf: line.tenant_id };
  const found = await Promise.all(
    batchesOf(ids, MAX_STATUSES).map((batch) => call('executions.statuses', { ids: batch }, asService)),
  );
  return new Map(found.flatMap(({ data }) => data.map(({ id, status }) => [id, status] as const)));
}

/** The API views of a page of schedules. `workflows`: their start snapshots by id. */
export async function scheduleRows(
  store: ScheduleStore,
  call: Call,
  schedules: readonly Schedule[],
  { workflows, nextRuns }: { workflows: ReadonlyMap<string, StartSnapshot>; nextRuns: number },
): Promise<ScheduleRow[]> {
  const lines = await Promise.all(
    schedules.map(({ record }) => store.history(record.tenant_id, record._id, LISTED_RECENT)),
  );
  const statuses = await statusesOf(call, lines.flat());
  const rows: ScheduleRow[] = [];
  const slice = new TimeSlice(schedules[0]?.record.tenant_id);
  for (const [index, each] of schedules.entries()) {
    const { record, line } = each;
    rows.push({
      id: record._id,
      workflow_id: record.workflow_id,
      workflow_name: workflows.get(record.workflow_id)?.name ?? '',
      workflow_enabled: isActive(record),
      next_at: record.next_at === null ? null : new Date(line.due(record.next_at.getTime())).toISOString(),
      ...scheduleView(each, lines[index] ?? [], statuses, nextRuns),
    });
    if (slice.due) await slice.pause();
  }
  return rows;
}

/** The API view of one schedule. */
export async function oneScheduleView(store: ScheduleStore, call: Call, schedule: Schedule): Promise<ScheduleView> {
  const { tenant_id, _id } = schedule.record;
  const recent = await store.history(tenant_id, _id, SHOWN_RECENT);
  return scheduleView(schedule, recent, await statusesOf(call, recent));
}

function scheduleView(
  { record, timer, line }: Schedule,
  recent: readonly SlotRecord[],
  known: Statuses,
  nextRuns = SHOWN_NEXT,
): ScheduleView {
  return {
    type: 'schedule',
    trigger: timer.index,
    ...(timer.cron === null ? {} : { cron: timer.cron }),
    ...(timer.every === null ? {} : { every: timer.every }),
    timezone: timer.timezone,
    paused: record.paused,
    schedule_paused: isHeld(record),
    next_runs: comingStarts(line, record.next_at?.getTime() ?? null, nextRuns).map((at) => new Date(at).toISOString()),
    recent_runs: recent.map((slot) => slotView(slot, known)),
    missed_policy: timer.missed,
    window_ms: timer.window_ms,
    overlap_policy: timer.overlap,
    jitter_ms: timer.jitter_ms,
  };
}

const slotView = (slot: SlotRecord, known: Statuses): SlotView => ({
  scheduled_for: slot.scheduled_for.toISOString(),
  fired_at: slot.fired_at.toISOString(),
  execution_id: slot.execution_id,
  status: statusOf(slot, known),
  outcome: slot.outcome,
  lag_ms: slot.lag_ms,
  error: slot.error,
});

function pollView({ record, timer, state }: Source, recent: readonly SlotRecord[], known: Statuses): PollView {
  const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  return {
    type: timer.type,
    every: timer.every,
    paused: record.paused,
    next_poll: record.next_at?.toISOString() ?? null,
    last_poll_at: time(state.polled_at),
    last_ok_at: time(state.ok_at),
    failures: state.failures,
    trouble: state.trouble,
    recent_runs: recent.map((line) => itemView(line, known)),
    items_seen: state.items,
  };
}

const itemView = (line: SlotRecord, known: Statuses): ItemView => ({
  item: line.item ?? '',
  found_at: line.scheduled_for.toISOString(),
  execution_id: line.execution_id,
  status: statusOf(line, known),
  outcome: line.outcome === 'refused' ? 'refused' : 'fired',
  error: line.error,
});

/** Null for a removed execution, and without one. */
const statusOf = ({ execution_id: id }: SlotRecord, known: Statuses): ExecutionStatus | null =>
  id === null ? null : (known.get(id) ?? null);
