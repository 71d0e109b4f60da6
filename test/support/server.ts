import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** What `npm start` runs. E2E_MAIN names a compiled start/main.js instead, so that a build elsewhere can be tried. */
const PROGRAM = process.env.E2E_MAIN ?? join(ROOT, 'start', 'run.mjs');

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
  if (process.env.E2E_MAIN !== undefined) return;
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
  const { child, output } = launch(options);
  const deadline = Date.now() + (options.withinMs ?? 20_000);
  while (!(await answers(`${url}/health/ready`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The server did not come up:\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return {
    url,
    pid: child.pid as number,
    output,
    kill: () => end(child, 'SIGKILL').then(() => undefined),
    stop: () => end(child, 'SIGTERM'),
  };
}

/** Starts a server that must refuse to run; its exit code and all that it printed. @throws Error when it still runs after 20 s */
export async function refusedStart(options: {
  dataDir: string;
  port: number;
  env?: Record<string, string>;
}): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch(options);
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  // Its streams are at their end too by then, so nothing that it said is missing.
  await once(child, 'close');
  clearTimeout(timer);
  if (child.signalCode !== null) throw new Error(`The server did not refuse:\n${output()}`);
  return { code: child.exitCode, output: output() };
}

function launch({ dataDir, port, env }: { dataDir: string; port: number; env?: Record<string, string> }) {
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return { child, output: () => printed };
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

/** An answer as it came: `body` is parsed when it is JSON, else text. */
export interface ApiAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** A client of one server with one token. */
export class Api {
  token = '';

  constructor(public url: string) {}

  /** Parsed JSON of the answer. @throws Error naming the status for anything but 2xx */
  async call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** The answer, whatever its status; `headers` win over the client's own. A body is JSON, or a form. */
  async ask<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : json ? JSON.parse(text) : text) as T,
    };
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
