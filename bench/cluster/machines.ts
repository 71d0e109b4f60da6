import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { MongoClient } from 'mongodb';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../../start/child';
import { LocalCluster } from '../../start/local-cluster';
import { Tenant } from '../client';
import { cpuSecondsOf, freePort } from '../server';

/** What the processes of a cluster have used since their start. */
interface Usage {
  /** Processor time in seconds, by role. */
  readonly cpu: Readonly<Record<string, number>>;
  /** What processes have sent to NATS. */
  readonly messages: number;
  readonly bytes: number;
}

/** A cluster under test: a bus, a store, one gateway and some executors, each a process of its own. */
export class Machines {
  private constructor(
    private readonly cluster: LocalCluster,
    private readonly dir: string,
    private readonly store: MongoClient,
    readonly url: string,
    readonly tenant: Tenant,
    readonly executors: number,
  ) {}

  static async start(executors: number, env: Record<string, string> = {}): Promise<Machines> {
    const dir = await mkdtemp(join(tmpdir(), 'everstep-bench-'));
    const port = await freePort();
    const given = {
      ...process.env,
      ...env,
      ...ownDatabase(),
      // A server of its own.
      TRANSPORTER: '',
      DATA_DIR: dir,
      HOST: '127.0.0.1',
      RATE_LIMIT: 'off',
      EGRESS_ALLOW: '127.0.0.1',
    };
    const cluster = new LocalCluster(
      { executors, gateways: 1, port, restart: false, monitorsNats: true },
      given,
      () => undefined,
    );
    try {
      await cluster.start();
      const url = `http://127.0.0.1:${port}`;
      const store = new MongoClient(cluster.mongoUrl);
      return new Machines(cluster, dir, store, url, await Tenant.register(url), executors);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async usage(): Promise<Usage> {
    const cpu: Record<string, number> = {};
    for (const name of [
      'gateway-1',
      'store',
      'nats',
      ...Array.from({ length: this.executors }, (_, n) => executor(n + 1)),
    ]) {
      const pid = this.cluster.process(name)?.pid;
      const role = name.replace(/-\d+$/, '');
      // The database is no process of the cluster with MONGO_URL.
      if (pid !== undefined) cpu[role] = (cpu[role] ?? 0) + cpuSecondsOf(pid);
    }
    const figures = (await (await fetch(String(this.cluster.natsMonitorUrl))).json()) as Record<string, number>;
    return { cpu, messages: Number(figures.in_msgs), bytes: Number(figures.in_bytes) };
  }

  /** The nth executor, from 1. */
  executor(n: number): Child {
    const child = this.cluster.process(executor(n));
    if (child === undefined) throw new Error(`There is no executor ${n}`);
    return child;
  }

  /** Ends an executor; the answer resolves once it is gone. */
  end(n: number, signal: 'SIGKILL' | 'SIGTERM'): void {
    const { pid } = this.executor(n);
    if (pid === undefined) throw new Error(`Executor ${n} does not run`);
    process.kill(pid, signal);
  }

  startExecutor(n: number): Promise<Child> {
    return this.cluster.startExecutor(n);
  }

  /** Waits until so many hosts live. */
  async hosts(count: number): Promise<void> {
    const alive = { state: 'alive', $expr: { $gt: ['$lease_until', '$$NOW'] } };
    while ((await this.store.db().collection('hosts').countDocuments(alive)) !== count) await sleep(100);
  }

  /** Which of the runs an executor owns. */
  async ownedBy(n: number, runs: readonly string[]): Promise<string[]> {
    const owned = await this.#executions.find({ _id: { $in: [...runs] }, owner: hostsOf(n) }).toArray();
    return owned.map(({ _id }) => _id);
  }

  /** When the first record behind those of an executor was made by another one, in epoch milliseconds; null before. */
  async firstRecordElsewhere(run: string, n: number): Promise<number | null> {
    const records = this.store.db().collection<{ _id: string; host: string; at: Date }>('journal');
    const [last] = await records
      .find({ _id: ofRun(run), host: hostsOf(n) })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    const behind = { _id: { $gt: last?._id ?? `${run}:`, $lt: `${run};` } };
    const [next] = await records.find(behind).sort({ _id: 1 }).limit(1).toArray();
    return next?.at.getTime() ?? null;
  }

  /** Resolves when a host has taken the first run. */
  async firstClaim(): Promise<number> {
    while ((await this.#executions.findOne({ epoch: { $gt: 0 } })) === null) await sleep(20);
    return Date.now();
  }

  /** When the last run ended, in epoch milliseconds. */
  async lastEnd(): Promise<number> {
    const [last] = await this.#executions.find().sort({ ended_at: -1 }).limit(1).toArray();
    return last?.ended_at?.getTime() ?? Number.NaN;
  }

  get #executions() {
    return this.store
      .db()
      .collection<{ _id: string; owner: string | null; epoch: number; ended_at: Date | null }>('executions');
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    // Its processes would create the collections again.
    if (process.env.MONGO_URL !== undefined) await this.store.db().dropDatabase();
    await this.store.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

const executor = (n: number): string => `executor-${n}`;

/** With MONGO_URL: a new database of that server. */
function ownDatabase(): Record<string, string> {
  if (process.env.MONGO_URL === undefined) return {};
  const url = new URL(process.env.MONGO_URL);
  url.pathname = `/bench-${randomUUID()}`;
  return { MONGO_URL: url.href };
}

/** Hosts of one node: each life has an id of its own. */
const hostsOf = (n: number): RegExp => new RegExp(`^executor-${n}:`);

const ofRun = (run: string): { $gte: string; $lt: string } => ({ $gte: `${run}:`, $lt: `${run};` });
