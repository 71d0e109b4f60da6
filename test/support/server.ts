import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** As in `npm start` and in the image. */
const NODE_OPTIONS = ['--max-semi-space-size=16'];
/** The program that `npm start` runs. E2E_MAIN names a compiled start/main.js instead, to test another build. */
const PROGRAM = process.env.E2E_MAIN ?? join(ROOT, 'start', 'run.mjs');

/** Moleculer's own runner, with every service of the build in `dist`. */
export const RUNNER: readonly string[] = [
  join(ROOT, 'node_modules', 'moleculer', 'bin', 'moleculer-runner.js'),
  '--config',
  'dist/moleculer.config.js',
  'dist/services/**/*.service.js',
];

/** The real program, as `npm start` runs it, in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Its output so far. */
  output(): string;
  /** SIGKILL, as a crash; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, as an operator; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Compiles once, so that later starts do not check for a stale build. */
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

interface Launch {
  readonly dataDir: string;
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Path of the Node that runs it; the one of the tests by default. */
  readonly node?: string;
  /** The program and its arguments; those of `npm start` by default. */
  readonly program?: readonly string[];
}

/** Starts the server and waits until it answers. @throws Error with its output after `withinMs` */
export async function startServer(options: Launch & { withinMs?: number }): Promise<ServerProcess> {
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

/** Starts a server that must fail to start; returns its exit code and output. @throws Error when it still runs after 20 s */
export async function refusedStart(options: Launch): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch(options);
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  // Its streams have ended too by then, so all of its output is there.
  await once(child, 'close');
  clearTimeout(timer);
  if (child.signalCode !== null) throw new Error(`The server did not refuse:\n${output()}`);
  return { code: child.exitCode, output: output() };
}

function launch({ dataDir, port, env, node = process.execPath, program = [PROGRAM] }: Launch) {
  const child = spawn(node, [...NODE_OPTIONS, ...program], {
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

/** An answer: `body` is parsed when it is JSON, else text. */
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
