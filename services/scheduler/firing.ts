import type { App } from '../app';
import type { Call } from '../catalogue';
import type { Advance } from './claims';
import type { SlotRecord } from './models';
import { dueOf, GRACE_MS } from './rules/due';
import { type Start, startSlot } from './starting';
import { ledgerLine, type Schedule } from './store';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** How a schedule goes on after its due slots; `gone`: its workflow does not exist any more. */
export type Fired = { readonly kind: 'advance'; readonly advance: Advance } | { readonly kind: 'gone' };

/** Clock of the slots; the service's own. */
export type Now = () => number;

/**
 * Starts what is due of a schedule, one slot after the other, and says what has become of each. A slot that cannot be
 * started for now stops the others; it is tried again until its policy counts it as missed.
 */
export async function fireDue(app: App, call: Call, schedule: Schedule, now: Now): Promise<Fired> {
  const { record, timer, line } = schedule;
  // Claims are of schedules with a next slot, and say whose they are.
  const due = dueOf(line, timer, (record.next_at as Date).getTime(), now());
  const slots: SlotRecord[] = due.missed.map((slot) => missedSlot(schedule, slot, now()));
  let lastRun = record.last_run;
  for (const slot of due.start) {
    const firedAt = now();
    const start = await startSlot(app, call, schedule, { slot, lastRun }, firedAt);
    if (start.kind === 'gone') return start;
    if (start.kind === 'trouble') return advanceTo(slot, start.message);
    slots.push(startedSlot(schedule, slot, start, firedAt));
    if (start.kind === 'started') lastRun = start.executionId;
  }
  return advanceTo(due.next, null);

  function advanceTo(slot: number | null, trouble: string | null): Fired {
    const tries = trouble === null ? 0 : record.tries + 1;
    const again = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(tries - 1, 10));
    const wake = trouble !== null ? now() + again : slot === null ? null : line.due(slot);
    const set = {
      next_at: slot === null ? null : new Date(slot),
      wake_at: wake === null ? null : new Date(wake),
      last_run: lastRun,
      tries,
      trouble,
    };
    return { kind: 'advance', advance: { id: record._id, holder: record.holder as string, set, slots } };
  }
}

/** A slot that nobody has started: because nobody was there, or because it could not be. */
function missedSlot({ record, line }: Schedule, slot: number, now: number): SlotRecord {
  const tried = record.trouble !== null && slot === record.next_at?.getTime();
  return ledgerLine(record, new Date(slot).toISOString(), {
    scheduled_for: new Date(slot),
    fired_at: new Date(now),
    execution_id: null,
    outcome: tried ? 'failed' : 'missed',
    lag_ms: now - line.due(slot),
    error: tried ? { code: 'unavailable', message: record.trouble as string } : null,
  });
}

type Settled = Exclude<Start, { kind: 'gone' | 'trouble' }>;

function startedSlot({ record, line }: Schedule, slot: number, start: Settled, now: number): SlotRecord {
  const lag = now - line.due(slot);
  const outcome = { started: lag > GRACE_MS ? 'late' : 'fired', refused: 'refused', overlaps: 'skipped' } as const;
  return ledgerLine(record, new Date(slot).toISOString(), {
    scheduled_for: new Date(slot),
    fired_at: new Date(now),
    execution_id: start.kind === 'started' ? start.executionId : null,
    outcome: outcome[start.kind],
    lag_ms: lag,
    error: start.kind === 'refused' ? { code: start.code, message: start.message } : null,
  });
}
