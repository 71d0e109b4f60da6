import { AppError, errorCode, errorMessage } from '../../lib/errors';
import { timeId } from '../../lib/ids';
import { runSliced } from '../../lib/time-slices';
import type { BackfillSlot, BackfillView } from '../../contracts/scheduler';
import type { Call } from '../../contracts/catalogue';
import { rangeOf, slotsIn } from './rules/range';
import { scheduledStart, type Starter, startableWorkflow, startOnce, slotRunId } from './start-run';
import { historyEntry, noSchedule, type Schedule, type ScheduleStore } from './store';

/** Slots of one call, which the statuses of runs can be asked for at once. */
const MAX_SLOTS = 300;
/** A call that takes longer is continued by another one, so that it is answered in time. */
const MAX_WORK_MS = 10_000;

/** Dependencies of starts that a person asks for. */
interface Deps extends Starter {
  readonly store: ScheduleStore;
  readonly now: () => number;
}

/** Starts a run of a schedule now, and records it in the history. @throws AppError not_found, or why it may not start */
export async function fireNow(
  deps: Deps,
  schedule: Schedule,
): Promise<{ execution_id: string; scheduled_for: string }> {
  const { record, timer } = schedule;
  const workflow = await startableWorkflow(deps, record);
  if (workflow === null) throw noSchedule();
  const now = deps.now();
  const executionId = timeId(now);
  await startOnce(deps, workflow, { ...scheduledStart(timer, now, now), executionId });
  const at = new Date(now);
  const entry = { scheduled_for: at, fired_at: at, execution_id: executionId, outcome: 'manual' as const, lag_ms: 0 };
  await deps.store.recordRun(
    record.tenant_id,
    historyEntry(record, `manual:${executionId}`, { ...entry, error: null }),
    true,
  );
  return { execution_id: executionId, scheduled_for: at.toISOString() };
}

interface BackfillRange {
  readonly from: string;
  readonly to: string;
  readonly dry_run?: boolean | undefined;
}

/**
 * Starts the slots of a range that have no run, the oldest first. The run id is derived from the slot, so concurrent and
 * repeated calls start one run per slot.
 * @throws AppError invalid_request, or why the workflow may not start
 */
export async function backfill(
  deps: Deps,
  call: Call,
  schedule: Schedule,
  asked: BackfillRange,
): Promise<BackfillView> {
  const { record, timer, line } = schedule;
  const began = deps.now();
  const { slots, rest } = await runSliced(slotsIn(line, rangeOf(asked, began), began, MAX_SLOTS), record.tenant_id);
  const planned = slots.map((slot) => ({
    slot,
    executionId: slotRunId(deps.app.keys.ids, record.workflow_id, timer.index, slot),
  }));
  const known = await existing(
    call,
    record.tenant_id,
    planned.map(({ executionId }) => executionId),
  );
  const rowOf = (slot: number, executionId: string | null, outcome: BackfillSlot['outcome']): BackfillSlot => ({
    scheduled_for: new Date(slot).toISOString(),
    execution_id: executionId,
    outcome,
  });
  const answer = (
    data: BackfillSlot[],
    next: number | null,
    stopped: BackfillView['stopped'] = null,
  ): BackfillView => ({
    dry_run: asked.dry_run === true,
    data,
    next_from: next === null ? null : new Date(next).toISOString(),
    stopped,
  });
  if (asked.dry_run === true) {
    const data = planned.map(({ slot, executionId }) =>
      known.has(executionId) ? rowOf(slot, executionId, 'exists') : rowOf(slot, null, 'planned'),
    );
    return answer(data, rest);
  }
  const workflow = await startableWorkflow(deps, record);
  if (workflow === null) throw noSchedule();
  const data: BackfillSlot[] = [];
  for (const { slot, executionId } of planned) {
    if (known.has(executionId)) {
      data.push(rowOf(slot, executionId, 'exists'));
      continue;
    }
    const now = deps.now();
    if (now - began > MAX_WORK_MS) return answer(data, slot);
    try {
      const { replayed } = await startOnce(deps, workflow, { ...scheduledStart(timer, slot, now), executionId });
      const entry = historyEntry(record, new Date(slot).toISOString(), {
        scheduled_for: new Date(slot),
        fired_at: new Date(now),
        execution_id: executionId,
        outcome: 'backfilled',
        lag_ms: now - line.due(slot),
        error: null,
      });
      await deps.store.recordRun(record.tenant_id, entry, !replayed);
      data.push(rowOf(slot, executionId, replayed ? 'exists' : 'started'));
    } catch (fault) {
      if (data.length === 0) throw fault;
      return answer(data, slot, stoppedBy(fault));
    }
  }
  return answer(data, rest);
}

const stoppedBy = (fault: unknown): NonNullable<BackfillView['stopped']> =>
  fault instanceof AppError
    ? { code: fault.type, message: fault.message }
    : { code: errorCode(fault) ?? 'internal', message: errorMessage(fault) };

async function existing(call: Call, tenantId: string, ids: string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { data } = await call('executions.statuses', { ids }, { asServiceOf: tenantId });
  return new Set(data.map(({ id }) => id));
}
