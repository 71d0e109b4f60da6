import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './server';
import { until } from './until';

/** A third-party server that a test talks to. `stop` removes all of its files and may be called twice. */
export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that the test has started, and can kill, pause and restart. */
export interface Daemon extends TestServer {
  readonly port: number;
  /** The id of the present process; another one after `restart`. */
  readonly pid: number;
  /** A folder of its own, removed by `stop`. */
  readonly dir: string;
  /** Its output so far. */
  output(): string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: its connections stay open, and nothing is answered. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Starts it again on the same port, after a `kill` or in place of what runs. */
  restart(): Promise<void>;
}

export interface NatsOptions {
  readonly port?: number;
  /** Text of its configuration file: authentication, TLS, limits. `{dir}` stands for the daemon's folder. */
  readonly config?: string;
  /** Files to be written into its folder before it starts. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A kind of server. */
export interface Kind {
  readonly program: string;
  /** Environment variable with the URL of a running server. */
  readonly urlVariable: string;
  readonly scheme: string;
  /** It refuses to be run by root, so a test that is root runs it as an unprivileged user. */
  readonly refusesRoot?: boolean;
}

const NATS: Kind = { program: 'nats-server', urlVariable: 'TEST_NATS_URL', scheme: 'nats' };
const REDIS: Kind = { program: 'redis-server', urlVariable: 'TEST_REDIS_URL', scheme: 'redis' };
export const POSTGRES: Kind = {
  program: 'postgres',
  urlVariable: 'TEST_POSTGRES_URL',
  scheme: 'postgres',
  refusesRoot: true,
};
export const MARIADB: Kind = {
  program: 'mariadbd',
  urlVariable: 'TEST_MARIADB_URL',
  scheme: 'mysql',
  refusesRoot: true,
};
const KINDS = { nats: NATS, redis: REDIS, postgres: POSTGRES, mariadb: MARIADB } as const;

/**
 * `describe` where the tests can run, else `describe.skip`, and the console says what is skipped. With `own`, a URL in
 * the environment is not enough: the tests stop and restart the server.
 */
export function describeWith(need: keyof typeof KINDS, { own = false } = {}): jest.Describe {
  const kind = KINDS[need];
  if (onPath(kind.program) || (!own && process.env[kind.urlVariable])) return describe;
  warnOfSkip(kind, own);
  return describe.skip;
}

/** A NATS server of the test's own; null, with a warning, where the program is missing. */
export const startOwnNats = (options: NatsOptions = {}): Promise<Daemon | null> =>
  startDaemon(NATS, options.port, async (dir, port) => {
    for (const [name, text] of Object.entries(options.files ?? {})) await writeFile(join(dir, name), text);
    await writeFile(join(dir, 'nats.conf'), (options.config ?? '').replaceAll('{dir}', dir));
    return ['-a', '127.0.0.1', '-p', String(port), '-c', join(dir, 'nats.conf')];
  });

/** A Redis server of the test's own; null, with a warning, where the program is missing. It keeps nothing on disk. */
export const startOwnRedis = (options: { port?: number } = {}): Promise<Daemon | null> =>
  startDaemon(REDIS, options.port, (dir, port) =>
    Promise.resolve(['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'no']),
  );

/** Any NATS server: one of our own, else the one of TEST_NATS_URL, which others use too; else null, with a warning. */
export const startNats = async (options: NatsOptions = {}): Promise<Daemon | TestServer | null> =>
  onPath(NATS.program) ? startOwnNats(options) : given(NATS);

/** Any Redis server: one of our own, else the one of TEST_REDIS_URL, which others use too; else null, with a warning. */
export const startRedis = async (options: { port?: number } = {}): Promise<Daemon | TestServer | null> =>
  onPath(REDIS.program) ? startOwnRedis(options) : given(REDIS);

function given(kind: Kind): TestServer | null {
  const url = process.env[kind.urlVariable];
  if (url) return { url, stop: () => Promise.resolve() };
  warnOfSkip(kind, false);
  return null;
}

function warnOfSkip(kind: Kind, own: boolean): void {
  const way = own
    ? `install ${kind.program} to run them`
    : `install ${kind.program}, or set ${kind.urlVariable}, to run them`;
  console.warn(`SKIPPED: the tests of ${expect.getState().testPath ?? 'this file'} that need ${kind.program}; ${way}.`);
}

/** Debian puts servers into sbin, and PostgreSQL aside by version, which is not on everybody's PATH. */
export function onPath(program: string): string | null {
  const versions = existsSync(POSTGRES_VERSIONS) ? readdirSync(POSTGRES_VERSIONS) : [];
  const aside = versions.map((version) => join(POSTGRES_VERSIONS, version, 'bin'));
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', ...aside]) {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return join(folder, program);
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

const POSTGRES_VERSIONS = '/usr/lib/postgresql';

/** The ids of the unprivileged user as which programs run that refuse root; empty for a test that is not root. */
export const unprivileged = (): { uid?: number; gid?: number } =>
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

type Arguments = (dir: string, port: number) => Promise<string[]>;

/** A server of the test's own; null, with a warning, where the program is missing. */
export async function startDaemon(kind: Kind, wantedPort: number | undefined, argumentsFor: Arguments) {
  const program = onPath(kind.program);
  if (program === null) {
    warnOfSkip(kind, true);
    return null;
  }
  const dir = await mkdtemp(join(tmpdir(), `everstep-${kind.scheme}-`));
  const { uid, gid } = kind.refusesRoot ? unprivileged() : {};
  if (uid !== undefined && gid !== undefined) await chown(dir, uid, gid);
  // Another process may take a free port before the daemon does.
  for (let triesLeft = 3; ; triesLeft--) {
    const daemon = await daemonAt(kind, program, dir, wantedPort ?? (await freePort()), argumentsFor);
    try {
      await daemon.restart();
      return daemon;
    } catch (error) {
      if (wantedPort === undefined && triesLeft > 1 && /in use/i.test(daemon.output())) continue;
      await daemon.stop();
      throw error;
    }
  }
}

async function daemonAt(
  kind: Kind,
  program: string,
  dir: string,
  port: number,
  argumentsFor: Arguments,
): Promise<Daemon> {
  const args = await argumentsFor(dir, port);
  let child: ChildProcess | null = null;
  let printed = '';
  const end = async (): Promise<void> => {
    const ending = child;
    child = null;
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = once(ending, 'exit');
    ending.kill('SIGKILL');
    await gone;
  };
  // A test run that ends without closing must not leave servers behind.
  const atExit = (): void => void child?.kill('SIGKILL');
  process.once('exit', atExit);
  return {
    url: `${kind.scheme}://127.0.0.1:${port}`,
    port,
    dir,
    get pid() {
      if (child?.pid === undefined) throw new Error(`${kind.program} does not run now`);
      return child.pid;
    },
    output: () => printed,
    kill: end,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async restart() {
      await end();
      const started = spawn(program, args, {
        cwd: dir,
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(kind.refusesRoot ? unprivileged() : {}),
      });
      child = started;
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      await until(`${kind.program} listens on port ${port}`, async () => {
        if (started.exitCode !== null) throw new Error(`${kind.program} ended at once:\n${printed}`);
        return await accepts(port);
      });
    },
    async stop() {
      process.removeListener('exit', atExit);
      await end();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
