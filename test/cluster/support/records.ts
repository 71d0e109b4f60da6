import type { Db } from 'mongodb';
import type { Entry } from '../../../runtime/core/entries/entry';
import type { Ledger } from '../../support/ledger';

interface JournalRow {
  _id: string;
  epoch: number;
  host: string;
  before: number;
  entries: string;
}

interface ExecutionRow {
  _id: string;
  tail: (Omit<JournalRow, '_id'> & { n: number }) | null;
}

/** One record of a history, as stored. */
export interface StoredRecord {
  readonly n: number;
  readonly epoch: number;
  readonly before: number;
  readonly entries: readonly Entry[];
}

/** The whole history of a run, read from the database: the journal, and the tail that was stored with the end. */
export async function historyOf(db: Db, run: string): Promise<StoredRecord[]> {
  const rows = await db
    .collection<JournalRow>('journal')
    .find({ _id: { $gte: `${run}:`, $lt: `${run};` } })
    .sort({ _id: 1 })
    .toArray();
  const records = rows.map(({ _id, epoch, before, entries }): StoredRecord => {
    return { n: Number(_id.slice(run.length + 1)), epoch, before, entries: JSON.parse(entries) as Entry[] };
  });
  const tail = (await db.collection<ExecutionRow>('executions').findOne({ _id: run }))?.tail ?? null;
  // A host without a lease may have left a record after the end; the tail is the last part of the history all the same.
  const before = tail === null ? records : records.filter(({ n }) => n < tail.n);
  return tail === null ? before : [...before, { ...tail, entries: JSON.parse(tail.entries) as Entry[] }];
}

/** The violations in a history; empty when it is correct. */
export function historyFaults(records: readonly StoredRecord[]): string[] {
  const faults: string[] = [];
  const completed = new Set<string>();
  let entries = 0;
  records.forEach(({ n, before, epoch, entries: list }, index) => {
    if (n !== index + 1) faults.push(`record ${n} stands where ${index + 1} is due`);
    if (before !== entries) faults.push(`record ${n} counts ${before} entries before it, not ${entries}`);
    if (epoch < (records[index - 1]?.epoch ?? 0)) faults.push(`record ${n} is of an older claim than the one before`);
    entries += list.length;
    for (const entry of list) {
      if (entry.kind !== 'step.completed') continue;
      if (completed.has(entry.path)) faults.push(`${entry.path} is completed twice`);
      completed.add(entry.path);
    }
  });
  const last = records.at(-1)?.entries.at(-1);
  const endings = records.flatMap(({ entries: list }) => list).filter(({ kind }) => kind === 'run.ended').length;
  if (endings !== 1 || last?.kind !== 'run.ended') faults.push(`it has ${endings} ends, and the last is ${last?.kind}`);
  return faults;
}

/** When each step was recorded as completed, by its id. */
export function completions(records: readonly StoredRecord[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const entry of records.flatMap(({ entries }) => entries))
    if (entry.kind === 'step.completed') found.set(entry.path, entry.at);
  return found;
}

/** Contradictions between ledger and history: a step that ran again after its record, that never ran, or had two keys. */
export function ledgerFaults(ledger: Pick<Ledger, 'of'>, run: string, records: readonly StoredRecord[]): string[] {
  const faults: string[] = [];
  const done = completions(records);
  for (const step of new Set(ledger.of(run).map((arrival) => arrival.step))) {
    const arrivals = ledger.of(run, step);
    const recorded = done.get(step);
    const late = recorded === undefined ? [] : arrivals.filter(({ at }) => at > recorded);
    if (late.length > 0) faults.push(`${step} ran again ${(late[0]?.at ?? 0) - (recorded ?? 0)} ms after its record`);
    if (new Set(arrivals.map(({ key }) => key)).size > 1) faults.push(`${step} came with different keys`);
  }
  return faults;
}

/** @throws Error naming each run with a violation */
export async function assertRecordedOnce(db: Db, ledger: Ledger, runs: readonly string[]): Promise<void> {
  const faults: string[] = [];
  for (const run of runs) {
    const records = await historyOf(db, run);
    faults.push(
      ...[...historyFaults(records), ...ledgerFaults(ledger, run, records)].map((fault) => `${run}: ${fault}`),
    );
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}
