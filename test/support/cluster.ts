import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { GATEWAY_SERVICES } from '../../start/cluster-plan';
import { ProcessReaper } from '../../start/process-reaper';
import { type Daemon, startOwnNats } from './daemons';
import { Part, program } from './part';
import { buildOnce, freePort } from './server';

interface Owned {
  _id: string;
  owner: string | null;
}

export interface ClusterNeeds {
  readonly executors?: number;
  readonly gateways?: number;
  /** Number of scheduler processes. Without any, the gateways run the scheduler. */
  readonly schedulers?: number;
  /** For every process of the product. */
  readonly env?: Readonly<Record<string, string>>;
  /** Addresses that the processes get instead of the real ones, for example those of a proxy. */
  readonly through?: { nats?(port: number): Promise<number>; store?(port: number): Promise<number> };
}

/**
 * A cluster of real processes: a NATS server, a document store on its own, executors and gateways. The test that starts one
 * removes it; should the test process die, its process reaper does.
 */
export class Cluster {
  readonly executors: Part[] = [];
  readonly gateways: Part[] = [];
  readonly schedulers: Part[] = [];
  readonly #reaper = new ProcessReaper();
  readonly #keys: Record<string, string>;
  #shared: Record<string, string> = {};
  #count = 0;
  #store: Part | null = null;
  #client: MongoClient | null = null;

  private constructor(
    readonly nats: Daemon,
    readonly dir: string,
    private readonly needs: ClusterNeeds,
  ) {
    const key = (): string => randomBytes(32).toString('base64');
    this.#keys = { MASTER_KEY: key(), JWT_SECRET: key(), PRINCIPAL_KEY: key() };
  }

  /** Null, with a warning, where there is no NATS server. */
  static async start(needs: ClusterNeeds = {}): Promise<Cluster | null> {
    const nats = await startOwnNats();
    if (nats === null) return null;
    buildOnce();
    const cluster = new Cluster(nats, await mkdtemp(join(tmpdir(), 'everstep-cluster-')), needs);
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  get store(): Part {
    if (this.#store === null) throw new Error('The store is not started');
    return this.#store;
  }

  /** Of the first gateway that serves. */
  get url(): string {
    const [url] = this.urls;
    if (url === undefined) throw new Error('No gateway serves');
    return url;
  }

  get urls(): string[] {
    return this.gateways.flatMap(({ url, serves }) => (serves && url !== null ? [url] : []));
  }

  get liveExecutors(): Part[] {
    return this.executors.filter(({ alive }) => alive);
  }

  async addExecutor(env: Record<string, string> = {}): Promise<Part> {
    const part = this.newExecutor(env);
    await part.start();
    return part;
  }

  /** One more executor that is not started yet. */
  newExecutor(env: Record<string, string> = {}): Part {
    const part = this.#product('executor', { SERVICES: 'executor', ...env }, null);
    this.executors.push(part);
    return part;
  }

  async addGateway(env: Record<string, string> = {}): Promise<Part> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const part = this.#product('gateway', { SERVICES: this.#gatewayServices, PORT: String(port), ...env }, url);
    this.gateways.push(part);
    await part.start();
    return part;
  }

  async addScheduler(): Promise<Part> {
    const part = this.#product('scheduler', { SERVICES: 'scheduler' }, null);
    this.schedulers.push(part);
    await part.start();
    return part;
  }

  get #gatewayServices(): string {
    if (!this.needs.schedulers) return GATEWAY_SERVICES;
    return GATEWAY_SERVICES.split(',')
      .filter((name) => name !== 'scheduler')
      .join(',');
  }

  /** The database itself, without services in between. */
  get db(): Db {
    this.#client ??= new MongoClient(this.storeUrl);
    return this.#client.db();
  }

  /** Where the store listens, whatever address the processes have. */
  get storeUrl(): string {
    return /MONGO_URL=(\S+)/.exec(this.store.output())?.[1] ?? '';
  }

  /** The executor that owns a run now; null when none does. */
  async hostOf(run: string): Promise<Part | null> {
    const { owner } = (await this.db.collection<Owned>('executions').findOne({ _id: run })) ?? { owner: null };
    if (owner === null) return null;
    const host = await this.db.collection<{ _id: string; node_id: string }>('hosts').findOne({ _id: owner });
    return this.executors.find(({ name }) => name === host?.node_id) ?? null;
  }

  /** The output of all processes, for a failed test. */
  output(): string {
    return [...this.gateways, ...this.schedulers, ...this.executors, this.store]
      .map((part) => `== ${part.name}\n${part.output()}`)
      .join('\n');
  }

  /** Kills all running processes and removes the data, unless it is to be kept. */
  async remove({ keep = false } = {}): Promise<void> {
    const parts = [
      ...this.gateways,
      ...this.schedulers,
      ...this.executors,
      ...(this.#store === null ? [] : [this.#store]),
    ];
    await this.#client?.close();
    await Promise.all(parts.map((part) => part.kill()));
    await this.nats.stop();
    this.#reaper.close();
    if (!keep) await rm(this.dir, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { executors = 2, gateways = 1, schedulers = 0, through = {} } = this.needs;
    const port = await freePort();
    this.#store = new Part({
      name: 'store',
      command: [...program('store'), '--listen', `127.0.0.1:${port}`, '--dir', join(this.dir, 'store')],
      env: {},
      url: null,
      ready: (output) => Promise.resolve(/MONGO_URL=\S+/.test(output)),
      reaper: this.#reaper,
    });
    await this.#store.start();
    const storePort = (await through.store?.(port)) ?? port;
    const natsPort = (await through.nats?.(this.nats.port)) ?? this.nats.port;
    this.#shared = {
      MONGO_URL: this.storeUrl.replace(`:${port}/`, `:${storePort}/`),
      TRANSPORTER: `nats://127.0.0.1:${natsPort}`,
      ...this.#keys,
    };
    await Promise.all([
      ...Array.from({ length: executors }, () => this.addExecutor()),
      ...Array.from({ length: schedulers }, () => this.addScheduler()),
      ...Array.from({ length: gateways }, () => this.addGateway()),
    ]);
  }

  #product(role: string, env: Record<string, string>, url: string | null): Part {
    const name = `${role}-${++this.#count}`;
    return new Part({
      name,
      command: program('main'),
      env: {
        HOST: '127.0.0.1',
        DATA_DIR: join(this.dir, name),
        NODE_ID: name,
        EGRESS_ALLOW: '127.0.0.1',
        RATE_LIMIT: 'off',
        ...this.#shared,
        ...this.needs.env,
        ...env,
      },
      url,
      ready: async (output) =>
        output.includes('Everstep is up') && (url === null || (await fetchOk(`${url}/health/ready`))),
      reaper: this.#reaper,
    });
  }
}

async function fetchOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
  await response?.body?.cancel();
  return response?.ok === true;
}
