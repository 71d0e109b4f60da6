import type { JournalRecord } from '../record/entry';
import { type Claim, type Ending, endedExecution, type Execution, type RunStore } from '../store/port';
import type { Gate } from './gate';

/**
 * Stores the end of a run with its last record, in one write; with the run itself where nothing was stored before.
 * False when the run is not this claim's to end.
 */
export async function storeEnd(
  store: Pick<RunStore, 'end' | 'insert' | 'load'>,
  gate: Gate,
  claim: Claim,
  execution: Execution,
  ending: Ending,
  tail: JournalRecord | null,
): Promise<boolean> {
  if (gate.asked) {
    await gate.open();
    return store.end(claim, ending, tail);
  }
  const ended = endedExecution(execution, ending);
  if ((await store.insert(ended, tail)) === 'inserted') return true;
  // Its own, stored by a try whose answer was lost? The id is fresh, so nobody else can have used it in this way.
  const stored = await store.load(ended.id);
  return stored?.status === ended.status && stored.endedAt === ended.endedAt && stored.startedAt === ended.startedAt;
}
