import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Collection, MongoClient } from 'mongodb';
import { openStore } from '../embedded';

/** One measured operation. */
export interface StoreRow {
  readonly operation: string;
  readonly count: number;
  readonly perSecond: number;
  /** Microseconds of processor time per operation: client thread and server thread together. */
  readonly cpuMicros: number;
}

interface Job {
  _id: number;
  key: string;
  state: string;
  priority: number;
  dueAt: number;
  tenant: string;
  body: string;
  tries: number;
}

const IN_FLIGHT = 50;
const BODY = 'x'.repeat(300);

const job = (n: number): Job => ({
  _id: n,
  key: `key-${n}`,
  state: 'queued',
  priority: n % 5,
  dueAt: n % 100_000,
  tenant: `tenant-${n % 20}`,
  body: BODY,
  tries: 0,
});

/** Runs `count` operations with `inFlight` of them under way at any time. */
async function measure(
  operation: string,
  count: number,
  perCall: number,
  run: (n: number) => Promise<unknown>,
  inFlight = IN_FLIGHT,
): Promise<StoreRow> {
  let next = 0;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const total = count * perCall;
  return {
    operation,
    count: total,
    perSecond: Math.round(total / seconds),
    cpuMicros: Math.round((user + system) / total),
  };
}

/** The embedded store under the official driver: durable writes, ~450-byte documents, three indexes besides _id. */
export async function benchStore(scale = 1): Promise<StoreRow[]> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-store-'));
  const store = await openStore({ dir });
  const client = new MongoClient(store.url, { maxPoolSize: IN_FLIGHT });
  try {
    const jobs = client.db().collection<Job>('jobs');
    await jobs.createIndex({ key: 1 }, { unique: true });
    await jobs.createIndex({ state: 1, priority: -1, dueAt: 1 });
    await jobs.createIndex({ tenant: 1 });
    return await rowsOf(jobs, scale);
  } finally {
    await client.close();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function rowsOf(jobs: Collection<Job>, scale: number): Promise<StoreRow[]> {
  const n = Math.round(8_000 * scale);
  const batches = Math.round(20 * scale);
  const random = (): number => Math.floor(Math.random() * n);
  await measure('warm-up', 1_000, 1, (i) => jobs.insertOne(job(-1 - i)));
  return [
    await measure('insertOne', n, 1, (i) => jobs.insertOne(job(i))),
    await measure('insertOne, one connection', Math.round(n / 8), 1, (i) => jobs.insertOne(job(10_000_000 + i)), 1),
    await measure(
      'insertMany x1000',
      batches,
      1000,
      (i) => jobs.insertMany(Array.from({ length: 1000 }, (_, k) => job(1_000_000 + i * 1000 + k))),
      2,
    ),
    await measure('findOne by _id', n, 1, () => jobs.findOne({ _id: random() })),
    await measure('findOneAndUpdate by _id', n, 1, () =>
      jobs.findOneAndUpdate({ _id: random() }, { $inc: { tries: 1 } }),
    ),
    await measure('updateOne by unique key', n, 1, () =>
      jobs.updateOne({ key: `key-${random()}` }, { $inc: { tries: 1 } }),
    ),
    await measure('claim (filter, sort, update)', n, 1, () =>
      jobs.findOneAndUpdate(
        { state: 'queued', dueAt: { $lte: 100_000 } },
        { $set: { state: 'running', claimedAt: Date.now() } as object },
        { sort: { priority: -1, dueAt: 1 } },
      ),
    ),
    await measure('find 20 by index order', Math.round(n / 4), 1, () =>
      jobs.find({ state: 'queued' }).sort({ priority: -1, dueAt: 1 }).limit(20).toArray(),
    ),
    await measure('full scan', 5, 1, () => jobs.countDocuments({ body: 'none' }), 1),
  ];
}
