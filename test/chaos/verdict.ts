import type { Db } from 'mongodb';
import { completions, historyFaults, historyOf, ledgerFaults, type StoredRecord } from '../cluster/support/records';
import type { Ledger } from '../support/ledger';
import type { Promised, Promises } from './promises';

/** A run whose records contradict its expected results. */
export interface Violation {
  readonly run: string;
  readonly kind: string;
  readonly what: string;
  /** The start of its history in short form. */
  readonly history: readonly string[];
}

export interface Verdict {
  readonly runs: number;
  readonly ended: Record<string, number>;
  readonly lost: number;
  readonly stuck: number;
  /** Effects that arrived again before a record of their end existed: allowed for types that may be repeated. */
  readonly repeatedInFlight: number;
  readonly streams: number;
  readonly violations: Violation[];
}

interface Row {
  _id: string;
  status: string;
  owner: string | null;
  wake_at: Date | null;
  output: { json?: string };
  error: { message: string } | null;
}

/** Compares the expected results with the database and with the ledger. */
export async function judge(db: Db, ledger: Ledger, promises: Promises, unknownOutcomes: number): Promise<Verdict> {
  const violations: Violation[] = promises.faults.map((what) => ({ run: '-', kind: 'answer', what, history: [] }));
  const ended: Record<string, number> = {};
  let [lost, stuck, repeatedInFlight, streams] = [0, 0, 0, 0];
  for (const promised of promises.accepted) {
    const row = await db.collection<Row>('executions').findOne({ _id: promised.run });
    const records = await historyOf(db, promised.run);
    const faults: string[] = [];
    if (row === null) lost++;
    if (row?.status === 'running') stuck++;
    ended[row?.status ?? 'lost'] = (ended[row?.status ?? 'lost'] ?? 0) + 1;
    faults.push(...endFaults(promised, row), ...streamFaults(promised));
    if (row !== null && row.status !== 'running')
      faults.push(...historyFaults(records), ...ledgerFaults(ledger, promised.run, records));
    repeatedInFlight += repeats(ledger, promised.run, records);
    if (promised.stream !== null) streams++;
    const history = faults.length > 0 ? outline(ledger, promised.run, records) : [];
    violations.push(...faults.map((what) => ({ run: promised.run, kind: promised.kind, what, history })));
  }
  violations.push(...(await strayRuns(db, promises, unknownOutcomes)));
  return { runs: promises.accepted.length, ended, lost, stuck, repeatedInFlight, streams, violations };
}

function endFaults({ ends, output }: Promised, row: Row | null): string[] {
  if (row === null) return ['was accepted and is not there'];
  if (row.status === 'running')
    return [`has not ended: owner ${row.owner}, due ${row.wake_at?.toISOString() ?? 'never'}`];
  if (!ends.some((end) => end === row.status))
    return [`ended ${row.status}, not ${ends.join(' or ')}: ${row.error?.message}`];
  const given = JSON.parse(row.output.json ?? 'null') as Record<string, unknown> | null;
  const wrong = Object.entries(output ?? {}).filter(([key, value]) => given?.[key] !== value);
  return wrong.map(([key, value]) => `its output has ${key} ${JSON.stringify(given?.[key])}, not ${value}`);
}

function streamFaults({ stream }: Promised): string[] {
  if (stream === null) return [];
  const faults = stream.faults();
  return [
    ...(stream.ended ? [] : [`its stream never sent the end (${stream.events.length} events)`]),
    ...(faults.length > 0 ? [`its stream has gaps or repeats: ${stream.events.map(({ id }) => id).join(',')}`] : []),
  ];
}

/** Requests to the ledger in excess of those whose end is in the history. */
function repeats(ledger: Ledger, run: string, records: readonly StoredRecord[]): number {
  const known = new Map<string, number>();
  for (const entry of records.flatMap(({ entries }) => entries))
    if (entry.kind === 'step.completed' || entry.kind === 'step.failed')
      known.set(entry.path, (known.get(entry.path) ?? 0) + 1);
  const steps = new Set(ledger.of(run).map(({ step }) => step));
  return [...steps].reduce((sum, step) => {
    const arrivals = ledger.of(run, step).length;
    return completions(records).has(step) ? sum + Math.max(0, arrivals - (known.get(step) ?? 0)) : sum;
  }, 0);
}

/** One key makes one run: every stored run was reported to a client, except for those of requests without an answer. */
async function strayRuns(db: Db, promises: Promises, unknownOutcomes: number): Promise<Violation[]> {
  const known = new Set(promises.accepted.map(({ run }) => run));
  const doubled = promises.accepted.length - known.size;
  const all = await db.collection<Row>('executions').find({}).project<{ _id: string }>({ _id: 1 }).toArray();
  const strays = all.filter(({ _id }) => !known.has(_id));
  return [
    ...(doubled > 0
      ? [{ run: '-', kind: 'keys', what: `${doubled} keys were answered with one run`, history: [] }]
      : []),
    ...(strays.length > unknownOutcomes
      ? strays.map(({ _id }) => ({ run: _id, kind: 'keys', what: 'its id was not reported to a client', history: [] }))
      : []),
  ];
}

/** A line for each record, with the arrivals at the ledger between them. */
function outline(ledger: Ledger, run: string, records: readonly StoredRecord[]): string[] {
  const rows = records.flatMap(({ n, epoch, entries }) =>
    entries.map((entry) => ({
      at: entry.at,
      text: `record ${n}, epoch ${epoch}: ${entry.kind}${'path' in entry ? ` ${entry.path}` : ''}${'attempt' in entry ? ` #${entry.attempt}` : ''}`,
    })),
  );
  const arrivals = ledger.of(run).map(({ at, step }) => ({ at, text: `ledger: ${step}` }));
  return [...rows, ...arrivals]
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => `${new Date(at).toISOString().slice(11)} ${text}`);
}
