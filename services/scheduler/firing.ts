import { backoffMs } from '../../lib/backoff';
import type { Advance } from './claims';
import type { SlotRecord } from './models';
import { dueOf, GRACE_MS } from './rules/due';
import { type Start, type Starter, startSlot } from './start-run';
import { historyEntry, type Schedule } from './store';

const RETRY = { firstMs: 500, maxMs: 30_000 };

/** The result for the due slots of a schedule. `gone`: the workflow was removed. */
export type Fired = { readonly kind: 'advance'; readonly advance: Advance } | { readonly kind: 'gone' };

/** The clock of the slots. */
export type Now = () => number;

/**
 * Starts the due slots of a schedule in order and returns the outcome of each. A slot that cannot be started now blocks the
 * later ones. It is retried until its policy counts it as missed.
 */
export async function fireDue(starter: Starter, schedule: Schedule, now: Now): Promise<Fired> {
  const { record, timer, line } = schedule;
  // A claimed schedule has a next slot and a holder.
  const due = dueOf(line, timer, (record.next_at as Date).getTime(), now());
  const slots: SlotRecord[] = due.missed.map((slot) => missedSlot(schedule, slot, now()));
  let lastRun = record.last_run;
  for (const slot of due.start) {
    const firedAt = now();
    const start = await startSlot(starter, schedule, { slot, lastRun }, firedAt);
    if (start.kind === 'gone') return start;
    if (start.kind === 'retry') return advanceTo(slot, start.message);
    slots.push(startedSlot(schedule, slot, start, firedAt));
    if (start.kind === 'started') lastRun = start.executionId;
  }
  return advanceTo(due.next, null);

  function advanceTo(slot: number | null, fault: string | null): Fired {
    const tries = fault === null ? 0 : record.tries + 1;
    const wake =
      fault !== null ? now() + backoffMs(RETRY, tries, Math.random()) : slot === null ? null : line.due(slot);
    const set = {
      next_at: slot === null ? null : new Date(slot),
      wake_at: wake === null ? null : new Date(wake),
      last_run: lastRun,
      tries,
      trouble: fault,
    };
    return { kind: 'advance', advance: { id: record._id, holder: record.holder as string, set, slots } };
  }
}

/** A slot without a run: no scheduler was running, or the start failed. */
function missedSlot({ record, line }: Schedule, slot: number, now: number): SlotRecord {
  const tried = record.trouble !== null && slot === record.next_at?.getTime();
  return historyEntry(record, new Date(slot).toISOString(), {
    scheduled_for: new Date(slot),
    fired_at: new Date(now),
    execution_id: null,
    outcome: tried ? 'failed' : 'missed',
    lag_ms: now - line.due(slot),
    error: tried ? { code: 'unavailable', message: record.trouble as string } : null,
  });
}

type Settled = Exclude<Start, { kind: 'gone' | 'retry' }>;

function startedSlot({ record, line }: Schedule, slot: number, start: Settled, now: number): SlotRecord {
  const lag = now - line.due(slot);
  const outcome = { started: lag > GRACE_MS ? 'late' : 'fired', refused: 'refused', overlaps: 'skipped' } as const;
  return historyEntry(record, new Date(slot).toISOString(), {
    scheduled_for: new Date(slot),
    fired_at: new Date(now),
    execution_id: start.kind === 'started' ? start.executionId : null,
    outcome: start.kind === 'refused' && start.code === 'start_limited' ? 'skipped' : outcome[start.kind],
    lag_ms: lag,
    error: start.kind === 'refused' ? { code: start.code, message: start.message } : null,
  });
}
