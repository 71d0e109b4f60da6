import type { Call } from '../../contracts/catalogue';
import type { ExecutionStatus } from '../../contracts/executions/views';
import type { ItemView, PollView, ScheduleView, SlotView, TriggerView } from '../../contracts/scheduler';
import type { SlotRecord } from './models';
import { comingStarts } from './rules/timeline';
import type { Schedule, ScheduleStore, Source, Timed } from './store';

const SHOWN_NEXT = 5;
const SHOWN_RECENT = 20;
/** Runs whose status is read in one call: twenty for each of twenty triggers. */
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
  const ids = lines.flatMap(({ execution_id: id }) => id ?? []).slice(0, MAX_STATUSES);
  const [line] = lines;
  if (line === undefined || ids.length === 0) return new Map();
  const { data } = await call('executions.statuses', { ids }, { asServiceOf: line.tenant_id });
  return new Map(data.map(({ id, status }) => [id, status]));
}

function scheduleView({ record, timer, line }: Schedule, recent: readonly SlotRecord[], known: Statuses): ScheduleView {
  return {
    type: 'schedule',
    ...(timer.cron === null ? {} : { cron: timer.cron }),
    ...(timer.every === null ? {} : { every: timer.every }),
    timezone: timer.timezone,
    paused: record.paused,
    next_runs: comingStarts(line, record.next_at?.getTime() ?? null, SHOWN_NEXT).map((at) =>
      new Date(at).toISOString(),
    ),
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
