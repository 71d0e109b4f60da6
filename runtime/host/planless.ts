import { decodeEntries } from '../record/codec';
import type { Entry, JournalRecord } from '../record/entry';
import { replay } from '../record/fold';
import { errandsOfEnd } from '../rules/ending';
import { claimOf, type Ending, type Execution, type RunStore } from '../store/port';

/** Ends a cancelled run of which nobody can say any more what its steps are; null when the claim is lost. */
export async function endWithoutPlan(store: RunStore, execution: Execution, now: number): Promise<Ending | null> {
  const { id, owner, epoch, startedAt } = execution;
  const records = await store.journal(id);
  const texts = records.map((record) => record.json);
  const entries = await decodeEntries(texts, (hashes) => store.getPayloads(id, hashes));
  const state = replay(entries);
  const ended: Entry = { kind: 'run.ended', at: now, status: 'cancelled', output: null, error: null };
  const tail: JournalRecord = {
    executionId: id,
    n: (records.at(-1)?.n ?? 0) + 1,
    epoch,
    host: owner as string,
    at: now,
    before: entries.length,
    json: JSON.stringify([ended]),
  };
  const { stepsRun: steps, tokens, costUsd } = state;
  const figures = { startedAt, endedAt: now, steps, tokens, costUsd };
  const ending = { ...figures, status: 'cancelled', output: null, error: null, response: null } as const;
  const whole: Ending = { ...ending, outbox: errandsOfEnd(execution, ending, state, true) };
  return (await store.end(claimOf(execution), whole, tail)) ? whole : null;
}
