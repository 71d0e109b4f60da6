import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, readConfig } from '../lib/config';
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
import { ProcessReaper } from './process-reaper';
import { portFault } from './preflight';

const NO_NATS =
  'nats-server was not found. Install it (Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server), or set TRANSPORTER to the URL of one that runs.';
/** Time to close connections and files, after the grace period of running steps. */
const CLOSE_MS = 6_000;
const RESTART_AFTER_MS = 1_000;

/** A cluster on this machine: NATS, the store, executors and gateways, each in its own process. */
export class LocalCluster {
  readonly #reaper = new ProcessReaper();
  readonly #children = new Map<string, Child>();
  readonly #dataDir: string;
  readonly #graceMs: number;
  readonly #keys: Readonly<Record<string, string>>;
  #shared: SharedEnv = {};
  #natsMonitorUrl: string | null = null;
  #stopping = false;

  /** @throws ConfigError when the environment is invalid */
  constructor(
    private readonly options: ClusterSize & { readonly restart: boolean; readonly monitorsNats?: boolean },
    private readonly env: NodeJS.ProcessEnv,
    private readonly say: (line: string) => void,
  ) {
    // Each process reads the environment itself; this reads it for errors, and for the values that all must share.
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
    await this.#assertPorts();
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
    this.say(clusterTable(rows, this.#joinFile()));
  }

  /** Checks all ports before anything starts. @throws ConfigError when one is in use */
  async #assertPorts(): Promise<void> {
    const { gateways, port } = this.options;
    const ports = Array.from({ length: gateways }, (_, n) => port + n);
    const faults = await Promise.all(ports.map((each) => portFault('--port', '0.0.0.0', each)));
    if (faults.flat().length > 0) throw new ConfigError(faults.flat());
  }

  /**
   * Writes the variables that another process needs to join, with credentials, readable by this user only; the path.
   */
  #joinFile(): string {
    const path = join(this.#dataDir, 'cluster.env');
    const lines = Object.entries(this.#shared).map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'\n`);
    writeFileSync(path, lines.join(''), { mode: 0o600 });
    return path;
  }

  /** URL of the database, for direct access. */
  get mongoUrl(): string {
    return this.#shared.MONGO_URL ?? '';
  }

  /** URL of the figures of NATS (`/varz`); null without `monitorsNats`, or when TRANSPORTER is that of another server. */
  get natsMonitorUrl(): string | null {
    return this.#natsMonitorUrl;
  }

  /** The process with a name such as `executor-1`; undefined when there is none. */
  process(name: string): Child | undefined {
    return this.#children.get(name);
  }

  /** Starts the nth executor (from 1): a further one, or one that ended. */
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

  /** Stops in order: gateways first, NATS last. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const stage of stopOrder([...this.#children.keys()]))
      await Promise.all(stage.map(async (name) => this.#children.get(name)?.stop(this.#graceMs + CLOSE_MS)));
    this.#reaper.close();
  }

  async #startNats(): Promise<string> {
    const command = findProgram('nats-server', this.env);
    if (command === null) throw new Error(NO_NATS);
    const [port, password] = [await freePort(), randomBytes(18).toString('base64url')];
    const path = join(this.#dataDir, 'nats.conf');
    const monitorPort = this.options.monitorsNats === true ? await freePort() : null;
    writeFileSync(path, natsConfig(port, 'everstep', password, monitorPort), { mode: 0o600 });
    await this.#start({ name: 'nats', command, args: ['-c', path], env: this.env, readyWhen: /Server is ready/ });
    if (monitorPort !== null) this.#natsMonitorUrl = `http://127.0.0.1:${monitorPort}/varz`;
    return `nats://everstep:${password}@127.0.0.1:${port}`;
  }

  async #startStore(): Promise<string> {
    // With a new port at each restart the other processes would lose the store.
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
    if (this.#stopping) throw new Error(`${program.name} was not started: the cluster is stopping`);
    const child = new Child(program, this.#reaper, {
      onLine: (text) => void (text.trim() !== '' && this.say(`${program.name.padEnd(12)}${text}`)),
      onUnexpectedExit: (how) => this.#onUnexpectedExit(child, how),
    });
    this.#children.set(program.name, child);
    return child.start();
  }

  #onUnexpectedExit(child: Child, how: string): void {
    if (this.#stopping) return;
    const { name } = child.program;
    this.say(`${name.padEnd(12)}ended: ${how}${this.options.restart ? '; restarting' : ''}`);
    if (this.options.restart) void this.#restart(child);
  }

  async #restart(child: Child): Promise<void> {
    const { name } = child.program;
    while (!this.#stopping) {
      await sleep(RESTART_AFTER_MS);
      if (this.#stopping) return;
      try {
        await child.start();
        return this.say(`${name.padEnd(12)}restarted with pid ${child.pid}`);
      } catch (error) {
        this.say(`${name.padEnd(12)}${errorMessage(error)}`);
      }
    }
  }
}

/** Debian installs servers into sbin, which is not always in PATH. */
function findProgram(name: string, env: NodeJS.ProcessEnv): string | null {
  for (const folder of [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Try the next folder.
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
