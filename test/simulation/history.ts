import type { Entry } from '../../runtime/core/entries/entry';
import type { SimDatabase } from '../support/runtime/sim-store';

/** An entry with the claim under which it was written. */
export interface Recorded {
  readonly entry: Entry;
  readonly n: number;
  readonly epoch: number;
}

/** The history of a run, as stored. */
export function historyOf(db: SimDatabase, run: string): Recorded[] {
  const records = (db.journals.get(run) ?? []).toSorted((a, b) => a.n - b.n);
  return records.flatMap(({ n, epoch, json }) => (JSON.parse(json) as Entry[]).map((entry) => ({ entry, n, epoch })));
}
