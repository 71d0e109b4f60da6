import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../lib/config';
import { errorMessage } from '../lib/errors';
import { loadKeys } from '../lib/keys';
import { Child, type Program } from './child';
import {
  type ClusterSize,
  clusterTable,
  natsConfig,
  type PlannedProcess,
  type SharedEnv,
  planCluster,
  stopOrder,
} from './cluster-plan';
import { Guard } from './guard';

const NO_NATS =
  'nats-server was not found. Install it (Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server), or set TRANSPORTER to the URL of one that runs.';
/** After the time that steps in flight get, a process has this long to close what it has open. */
const CLOSE_MS = 6_000;
const RESTART_AFTER_MS = 1_000;

/** Bus, store, executors and gateways of one cluster, each in a process of its own on this machine. */
export class LocalCluster {
  readonly #guard = new Guard();
  readonly #children = new Map<string, Child>();
  readonly #dataDir: string;
  readonly #graceMs: number;
  readonly #keys: Readonly<Record<string, string>>;
  #shared: SharedEnv = {};
  #stopping = false;

  /** @throws ConfigError for an environment that no process could use */
  constructor(
    private readonly options: ClusterSize & { readonly restart: boolean },
    private readonly env: NodeJS.ProcessEnv,
    private readonly say: (line: string) => void,
  ) {
    // Each process reads the environment for itself; here it is read for its faults, and for what all have to share.
    const config = readConfig({ ...env, TRANSPORTER: undefined, SERVICES: undefined });
    const { master, jwt, principal } = loadKeys(config.keys, config.dataDir).keys;
    this.#dataDir = config.dataDir;
    this.#graceMs = config.executor.shutdownGraceMs;
    this.#keys = {
      MASTER_KEY: master.toString('base64'),
      PRINCIPAL_KEY: principal.toString('base64'),
      ...(jwt.kind === 'secret' ? { JWT_SECRET: jwt.secret.toString('base64') } : {}),
    };
  }

  async start(): Promise<void> {
    const shared = {
      TRANSPORTER: this.env.TRANSPORTER || (await this.#startNats()),
      MONGO_URL: this.env.MONGO_URL || (await this.#startStore()),
      ...this.#keys,
    };
    this.#shared = shared;
    const planned = planCluster(this.options, shared);
    await Promise.all(planned.map((process) => this.#startProduct(process)));
    const urls = new Map(planned.map(({ name, url }) => [name, url]));
    const rows = [...this.#children].map(([name, { pid = 0 }]) => ({ name, pid, url: urls.get(name) ?? null }));
    this.say(clusterTable(rows));
  }

  /** Where the data is, for whoever wants to look at it past all services. */
  get mongoUrl(): string {
    return this.#shared.MONGO_URL ?? '';
  }

  /** The process of a name, such as `executor-1`; undefined when there was none. */
  process(name: string): Child | undefined {
    return this.#children.get(name);
  }

  /** Starts the nth executor (from 1), one more or one that has ended. */
  async startExecutor(n: number): Promise<Child> {
    const planned = planCluster({ executors: n, gateways: 0, port: 0 }, this.#shared).at(-1) as PlannedProcess;
    await this.#startProduct(planned);
    return this.#children.get(planned.name) as Child;
  }

  #startProduct({ name, env }: PlannedProcess): Promise<string> {
    const args = [join(__dirname, 'main.js')];
    const readyWhen = /Everstep is up/;
    return this.#start({ name, command: process.execPath, args, env: { ...this.env, ...env }, readyWhen });
  }

  /** In order: what serves requests first, what holds the data last but for the bus. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const stage of stopOrder([...this.#children.keys()]))
      await Promise.all(stage.map(async (name) => this.#children.get(name)?.stop(this.#graceMs + CLOSE_MS)));
    this.#guard.close();
  }

  async #startNats(): Promise<string> {
    const command = findProgram('nats-server', this.env);
    if (command === null) throw new Error(NO_NATS);
    const [port, password] = [await freePort(), randomBytes(18).toString('base64url')];
    const path = join(this.#dataDir, 'nats.conf');
    writeFileSync(path, natsConfig(port, 'everstep', password), { mode: 0o600 });
    await this.#start({ name: 'nats', command, args: ['-c', path], env: this.env, readyWhen: /Server is ready/ });
    return `nats://everstep:${password}@127.0.0.1:${port}`;
  }

  async #startStore(): Promise<string> {
    // A port of its own choice each time would leave the others behind when it is started again.
    const listen = `127.0.0.1:${await freePort()}`;
    const args = [join(__dirname, 'store.js'), '--listen', listen, '--dir', this.#dataDir];
    const line = await this.#start({
      name: 'store',
      command: process.execPath,
      args,
      env: this.env,
      readyWhen: /MONGO_URL=/,
    });
    return line.slice(line.indexOf('=') + 1);
  }

  async #start(program: Program): Promise<string> {
    if (this.#stopping) throw new Error(`${program.name} was not started: asked to stop`);
    const child = new Child(program, this.#guard, {
      line: (text) => void (text.trim() !== '' && this.say(`${program.name.padEnd(12)}${text}`)),
      died: (how) => this.#onDeath(child, how),
    });
    this.#children.set(program.name, child);
    return child.start();
  }

  #onDeath(child: Child, how: string): void {
    if (this.#stopping) return;
    const { name } = child.program;
    this.say(`${name.padEnd(12)}has ended: ${how}${this.options.restart ? '; it starts again' : ''}`);
    if (this.options.restart) void this.#restart(child);
  }

  async #restart(child: Child): Promise<void> {
    const { name } = child.program;
    while (!this.#stopping) {
      await sleep(RESTART_AFTER_MS);
      if (this.#stopping) return;
      try {
        await child.start();
        return this.say(`${name.padEnd(12)}is back with pid ${child.pid}`);
      } catch (error) {
        this.say(`${name.padEnd(12)}${errorMessage(error)}`);
      }
    }
  }
}

/** Debian puts servers into sbin, which is not on everybody's PATH. */
function findProgram(name: string, env: NodeJS.ProcessEnv): string | null {
  for (const folder of [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
