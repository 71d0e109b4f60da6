/**
 * What it costs to find and claim work while very many runs wait: `npm run bench:waiting -- --runs 1000000`.
 * With MONGO_URL on that server, in a database of its own; else on the built-in store.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Document, MongoClient } from 'mongodb';
import { openStore } from '../embedded';
import { INITIAL_FIELDS } from '../runtime/worker/deps';
import { type Collections, openCollections } from '../runtime/mongo/collections';
import { ensureIndexes } from '../runtime/mongo/indexes';
import { executionToDocument } from '../runtime/mongo/documents';
import { mongoRunStore } from '../runtime/mongo/run-store';
import { claimOf, type Execution, NEVER_MS } from '../runtime/core/model';
import type { RunStore } from '../runtime/ports/run-store';
import { percentile, timings } from './percentile';
import { table } from './tables';

const TENANTS = 1_000;
const BATCH = 1_000;
const CLAIMED_AT_ONCE = 64;
const ROUNDS = 50;
const DAY_MS = 86_400_000;
const NOTHING = { json: 'null' };

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** A run that was given up long ago: every second one waits for a message, the others for a day to come. */
const waiting = (n: number, given: Partial<Execution> = {}): Execution => ({
  ...INITIAL_FIELDS,
  id: `run-${n}`,
  tenantId: `tenant-${n % TENANTS}`,
  workflowId: `workflow-${n % (5 * TENANTS)}`,
  workflowName: 'Waits',
  planHash: 'hash',
  env: 'prod',
  status: 'running',
  triggerType: 'webhook',
  trigger: { n, text: 'x'.repeat(200) },
  inputKey: null,
  output: null,
  error: null,
  response: null,
  waiting: [{ step_id: 's', kind: 'signal', name: 'go', since: 0, until: null }],
  retryOf: null,
  resumeFrom: null,
  parent: null,
  depth: 0,
  concurrency: null,
  requestId: null,
  startedAt: Date.now() - n,
  deadlineAt: null,
  endedAt: null,
  steps: 0,
  tokens: 0,
  costUsd: 0,
  owner: null,
  epoch: 1,
  wakeAt: n % 2 === 0 ? NEVER_MS : Date.now() + DAY_MS + n,
  ...given,
});

const documentOf = (run: Execution) =>
  executionToDocument(
    run,
    { trigger: { json: JSON.stringify(run.trigger) }, output: NOTHING, response: NOTHING },
    null,
  );

/** Median and 99th percentile of what one call takes, in milliseconds. */
async function timed(name: string, call: (round: number) => Promise<unknown>): Promise<[string, number, number]> {
  const took = await timings(ROUNDS, call);
  const hundredths = (share: number): number => Math.round(percentile(took, share) * 100) / 100;
  return [name, hundredths(0.5), hundredths(0.99)];
}

/** One claim of due runs among all that wait, and the looks around it. Leaves everything as it was. */
async function measure(store: RunStore, at: number): Promise<[string, number, number][]> {
  const fresh = (round: number, n: number): Execution =>
    waiting(n, { id: `fresh-${at}-${round}-${n}`, wakeAt: Date.now() - 1_000 });
  for (let n = 0; n < CLAIMED_AT_ONCE; n++) await store.insert(fresh(-1, n));
  return [
    await timed(`claim of ${CLAIMED_AT_ONCE}, and giving them back`, async () => {
      const claimed = await store.claim('host', await store.due(Date.now(), CLAIMED_AT_ONCE));
      if (claimed.length !== CLAIMED_AT_ONCE) throw new Error(`${claimed.length} runs were claimed`);
      const to = { messageSeq: 0, wakeAt: Date.now() - 1, waiting: [] };
      await Promise.all(claimed.map((run) => store.release(claimOf(run), to)));
    }),
    await timed('next wake-up', () => store.nextWake(Date.now())),
    await timed('due runs of 32 tenants behind a backlog', (round) =>
      store.dueByTenant(`tenant-${round % 10}`, Date.now(), 8),
    ),
    await timed('tenants with parked runs (none)', () => store.parkedTenants('', 32)),
    await timed('one start', (round) => store.insert({ ...fresh(round, 0), owner: 'other', wakeAt: null })),
    await timed('one message', (round) =>
      store.addMessage(`run-${round}`, { id: `m${at}`, name: 'go', data: {}, by: null, at: 0 }, NEVER_MS),
    ),
  ];
}

/** What the server says of the query by which due runs are found. */
async function explained({ executions }: Collections): Promise<string> {
  const plan = await executions
    .find({ status: 'running', owner: null, wake_at: { $lte: new Date() } })
    .sort({ wake_at: 1 })
    .limit(CLAIMED_AT_ONCE)
    .explain('executionStats');
  const { totalKeysExamined, totalDocsExamined, nReturned } = plan.executionStats as Document;
  const index = /"indexName":"(\w+)"/.exec(JSON.stringify(plan))?.[1] ?? 'none';
  return `due: index ${index}, ${totalKeysExamined} keys and ${totalDocsExamined} documents for ${nReturned} runs`;
}

async function bench(url: string, name: string, runs: number): Promise<void> {
  const client = new MongoClient(url);
  try {
    const collections = openCollections(client.db(name));
    await ensureIndexes(collections);
    const store = mongoRunStore(collections);
    const columns: [string, number, number][][] = [];
    const sizes = [0, Math.round(runs / 10), runs];
    for (let stored = 0; stored <= runs; stored += BATCH) {
      if (sizes.includes(stored)) {
        log(`${stored} runs wait`);
        columns.push(await measure(store, stored));
        log(await explained(collections));
        await collections.executions.deleteMany({ _id: { $gte: 'fresh-', $lt: 'fresh.' } });
      }
      if (stored === runs) break;
      const batch = Array.from({ length: BATCH }, (_, n) => documentOf(waiting(stored + n)));
      await collections.executions.insertMany(batch, { ordered: false });
    }
    const head = ['ms', ...sizes.flatMap((size) => [`${size} wait: p50`, 'p99'])];
    const rows = (columns[0] ?? []).map(([what], row) => [
      what,
      ...columns.flatMap((column) => (column[row] as [string, number, number]).slice(1)),
    ]);
    process.stdout.write(`${table(head, rows)}\n`);
  } finally {
    if (process.env.MONGO_URL !== undefined) await client.db(name).dropDatabase();
    await client.close();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '200000' } } });
  const runs = Math.max(1, Math.round(Number(values.runs) / (10 * BATCH))) * 10 * BATCH;
  const url = process.env.MONGO_URL;
  if (url !== undefined) return bench(url, `waiting-${Date.now()}`, runs);
  const dir = mkdtempSync(join(tmpdir(), 'bench-waiting-'));
  const store = await openStore({ dir });
  try {
    await bench(store.url, 'waiting', runs);
  } finally {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
