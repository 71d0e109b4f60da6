/**
 * How late schedules start while very many of them are stored: `npm run bench:schedules -- --schedules 100000 --rate 500`.
 * One server that schedules and executes, on the built-in store; each run is one `set` step.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Collection, type Db, type Document, MongoClient } from 'mongodb';
import { openStore } from '../embedded';
import { randomId } from '../lib/ids';
import { percentile } from './percentile';
import { type BenchServer, startServer } from './server';
import { table } from './tables';

const TENANTS = 20;
const BATCH = 1_000;
const WARM_UP_MS = 5_000;
const SETTLE_MS = 15_000;
/** Filling takes about half a millisecond a schedule on a busy machine. */
const FILL_MS_EACH = 1;

interface Record extends Document {
  _id: string;
}

interface Load {
  readonly schedules: number;
  /** Starts a second. */
  readonly rate: number;
  readonly seconds: number;
}

const log = (line: string): void => void process.stderr.write(`${line}\n`);

async function post(url: string, body: object, token?: string): Promise<Document> {
  const headers: { [name: string]: string } = { 'content-type': 'application/json' };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Document;
}

/** A workflow with a schedule, made as anybody makes one, in a tenant of its own. */
async function pattern({ url }: BenchServer, n: number, every: string): Promise<string> {
  const registration = {
    tenant_slug: `bench-${n}`,
    tenant_name: 'Bench',
    email: 'a@example.com',
    password: randomId(),
  };
  const { token } = await post(`${url}/api/v1/auth/register`, registration);
  const trigger = { type: 'schedule', config: { every } };
  const dsl = { id: 'bench', trigger, steps: [{ id: 's', type: 'set', config: { at: '{{ trigger.fired_at }}' } }] };
  const { id } = await post(`${url}/api/v1/workflows`, { name: 'Bench', dsl }, String(token));
  return String(id);
}

/** Copies of the patterns, due one after the other from `from` on. */
async function fill(db: Db, patterns: readonly string[], { schedules, rate }: Load, from: number): Promise<void> {
  const [workflows, timed] = [db.collection<Record>('workflows'), db.collection<Record>('schedules')];
  const models = await Promise.all(
    patterns.map(async (id) => ({
      workflow: await one(workflows, { _id: id }),
      schedule: await one(timed, { workflow_id: id }),
    })),
  );
  await timed.deleteMany({});
  const period = (schedules / rate) * 1_000;
  for (let at = 0; at < schedules; at += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, schedules - at) }, (_, n) => {
      const { workflow, schedule } = models[(at + n) % models.length] as (typeof models)[number];
      const id = randomId();
      const first = new Date(Math.round(from + ((at + n) * period) / schedules));
      const times = { anchor: new Date(first.getTime() - period), next_at: first, wake_at: first };
      return {
        workflow: { ...workflow, _id: id, slot: null },
        schedule: { ...schedule, ...times, _id: `${id}:0`, workflow_id: id },
      };
    });
    await workflows.insertMany(batch.map((each) => each.workflow));
    await timed.insertMany(batch.map((each) => each.schedule));
  }
}

async function one(collection: Collection<Record>, filter: Document): Promise<Record> {
  const found = await collection.findOne(filter);
  if (found === null) throw new Error(`Nothing in ${collection.collectionName} is ${JSON.stringify(filter)}`);
  return found;
}

async function measure(server: BenchServer, db: Db, load: Load): Promise<void> {
  const { schedules, rate, seconds } = load;
  const every = `${schedules / rate}s`;
  const patterns: string[] = [];
  for (let n = 0; n < TENANTS; n++) patterns.push(await pattern(server, n, every));
  const from = Date.now() + SETTLE_MS + schedules * FILL_MS_EACH;
  await fill(db, patterns, load, from);
  if (Date.now() > from) throw new Error('Filling took too long; the machine is too busy to measure anything');
  log(`${schedules} schedules are stored; they begin in ${Math.round((from - Date.now()) / 1_000)} s`);
  const begin = from + WARM_UP_MS;
  await sleep(begin - Date.now());
  const cpu = server.cpuSeconds();
  await sleep(seconds * 1_000);
  const used = server.cpuSeconds() - cpu;
  const rss = server.rss();
  await sleep(SETTLE_MS);
  const scheduled_for = { $gte: new Date(begin), $lt: new Date(begin + seconds * 1_000) };
  const slots = await db.collection<Record>('schedule_slots').find({ scheduled_for }).toArray();
  const fired = slots.filter(({ outcome }) => outcome === 'fired');
  const due = Math.round(rate * seconds);
  if (Math.abs(fired.length - due) > 1) throw new Error(`${fired.length} of ${due} started in time`);
  const lags = fired.map(({ lag_ms }) => Number(lag_ms));
  const row = [
    schedules,
    rate,
    fired.length,
    ...[0.5, 0.99, 1].map((share) => percentile(lags, share)),
    Math.round((used / fired.length) * 100_000) / 100,
    rss,
  ];
  const head = ['schedules', 'due a second', 'started', 'lag p50 ms', 'p99 ms', 'most ms', 'CPU ms each', 'RSS MiB'];
  process.stdout.write(`${table(head, [row])}\n`);
}

async function main(): Promise<void> {
  const text = (value: string) => ({ type: 'string' as const, default: value });
  const { values } = parseArgs({ options: { schedules: text('100000'), rate: text('500'), seconds: text('30') } });
  const load = { schedules: Number(values.schedules), rate: Number(values.rate), seconds: Number(values.seconds) };
  const dir = mkdtempSync(join(tmpdir(), 'bench-schedules-'));
  const plans = join(dir, 'plans.json');
  writeFileSync(plans, JSON.stringify({ free: { executions_per_month: null, concurrent_executions: null } }));
  const store = await openStore({ dir: join(dir, 'store') });
  process.env.MONGO_URL = store.url;
  process.env.PLANS_FILE = plans;
  const client = new MongoClient(store.url);
  const server = await startServer(dir);
  try {
    await measure(server, client.db(), load);
  } finally {
    await server.stop();
    await client.close();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const failed = (error: unknown): void => {
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
};

main().catch(failed);
