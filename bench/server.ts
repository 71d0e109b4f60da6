import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 30_000;
/** Linux counts processor time in hundredths of a second, whatever the kernel's own tick is (proc(5), _SC_CLK_TCK). */
const TICKS_PER_SECOND = 100;

/** The server under test: its own process, embedded defaults, a folder that is removed at the end. */
export interface BenchServer {
  readonly url: string;
  /** Resident memory in MiB. */
  rss(): number;
  /** Processor seconds used so far, all threads. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Another build of the server: the folder of its checkout, and the Node that runs it. */
export interface OtherBuild {
  readonly folder: string;
  readonly node: string;
}

/** The server of `other`, else of this build. @throws Error with what the server printed when it does not get ready */
export async function startServer(dataRoot = tmpdir(), other?: OtherBuild): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(dataRoot, 'everstep-bench-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  try {
    const server = await startServerOn(dataDir, other);
    const stop = async (): Promise<void> => {
      await server.stop();
      await remove();
    };
    return { ...server, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The same with a folder that is kept. */
export async function startServerOn(dataDir: string, other?: OtherBuild): Promise<BenchServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program =
    other === undefined
      ? ['--max-semi-space-size=16', join(__dirname, '..', 'start', 'main.js')]
      : [join(other.folder, 'dist', 'start', 'main.js')];
  const child = spawn(other?.node ?? process.execPath, program, {
    ...(other === undefined ? {} : { cwd: other.folder }),
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-4_000)));
  }
  const stop = (): Promise<void> => end(child);
  const deadline = Date.now() + START_MS;
  while (!(await ready(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`The server did not start:\n${printed}`);
    }
    await sleep(5);
  }
  const pid = child.pid as number;
  return { url, rss: () => residentMiB(pid), cpuSeconds: () => cpuSecondsOf(pid), stop };
}

async function ready(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health/ready`).catch(() => null);
  await response?.body?.cancel();
  return response?.ok === true;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** A port of loopback without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free');
  return address.port;
}

export function residentMiB(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

export function cpuSecondsOf(pid: number): number {
  // Fields 14 and 15 of proc_pid_stat(5), counted behind the name, which may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
