import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** The real program, as `npm start` runs it, in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** All that it has printed so far. */
  output(): string;
  /** SIGKILL, as a crash; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, as an operator; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Compiles once, so that several starts do not each look for a stale build. */
export function buildOnce(): void {
  const result = spawnSync(process.execPath, [join(ROOT, 'start', 'build.mjs')], { cwd: ROOT, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`The build failed: ${result.stdout}${result.stderr}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

/** Starts the server and waits until it answers. @throws Error with its output when it does not within `withinMs` */
export async function startServer(options: {
  dataDir: string;
  port: number;
  env?: Record<string, string>;
  withinMs?: number;
}): Promise<ServerProcess> {
  const url = `http://127.0.0.1:${options.port}`;
  const child = spawn(process.execPath, [join(ROOT, 'start', 'run.mjs')], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(options.port),
      HOST: '127.0.0.1',
      DATA_DIR: options.dataDir,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const deadline = Date.now() + (options.withinMs ?? 20_000);
  while (!(await answers(`${url}/health/ready`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not come up:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return {
    url,
    pid: child.pid as number,
    output: () => printed,
    kill: () => end(child, 'SIGKILL').then(() => undefined),
    stop: () => end(child, 'SIGTERM'),
  };
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => null);
  await response?.body?.cancel();
  return response?.ok === true;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
  return child.exitCode;
}

/** A client of one server with one token; answers parsed JSON. @throws Error naming the status for anything but 2xx */
export class Api {
  token = '';

  constructor(public url: string) {}

  async call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  async register(slug: string): Promise<void> {
    const { token } = await this.call<{ token: string }>('POST', '/api/v1/auth/register', {
      tenant_slug: slug,
      tenant_name: slug,
      email: `owner@${slug}.example`,
      password: 'a-long-password',
    });
    this.token = token;
  }
}
