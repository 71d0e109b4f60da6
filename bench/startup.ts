/**
 * What a start costs, and how fast the server is right after it: `npm run bench:start -- --starts 5`. Each start has a
 * server and a folder of its own; figures are medians of all starts but the first, which fills the compile cache.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Tenant } from './client';
import { drive } from './drive';
import { median, percentile } from './percentile';
import { type BenchServer, startServer } from './server';
import { table } from './tables';

const FIRST_REQUESTS = 100;
const CONNECTIONS = 16;
/** An idle process shrinks its heap within two seconds. */
const IDLE_MS = 5_000;
const BODY = JSON.stringify({ n: 1 });

interface Figures {
  readonly readyMs: number;
  readonly cpuMs: number;
  readonly idleMiB: number;
  readonly firstP50: number;
  readonly firstP99: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { starts: { type: 'string', default: '5' } } });
  const starts = Number(values.starts);
  if (!Number.isSafeInteger(starts) || starts < 1) throw new Error('npm run bench:start -- [--starts N]');
  // As `npm start` has it; the server is started without its launcher.
  process.env.NODE_COMPILE_CACHE = join(__dirname, '..', '..', 'node_modules', '.cache', 'compiled');
  const seen: Figures[] = [];
  for (let start = 0; start <= starts; start++) {
    process.stderr.write(`start ${start} of ${starts}\n`);
    const figures = await onServer(measureStart);
    if (start > 0) seen.push(figures);
  }
  const of = (name: keyof Figures): number => Math.round(median(seen.map((each) => each[name])) * 10) / 10;
  print(
    ['', 'median'],
    [
      ['ms until /health/ready answers', of('readyMs')],
      ['CPU ms until then, all threads', of('cpuMs')],
      ['RSS MiB, idle', of('idleMiB')],
      [`first ${FIRST_REQUESTS} webhooks, sync, p50 ms`, of('firstP50')],
      [`first ${FIRST_REQUESTS} webhooks, sync, p99 ms`, of('firstP99')],
    ],
  );
  print(['seconds after the start', 'per second', 'p50 ms', 'p99 ms'], await onServer(measureWarmUp));
}

async function onServer<T>(measure: (server: BenchServer, readyMs: number) => Promise<T>): Promise<T> {
  const began = performance.now();
  const server = await startServer();
  try {
    return await measure(server, performance.now() - began);
  } finally {
    await server.stop();
  }
}

async function measureStart(server: BenchServer, readyMs: number): Promise<Figures> {
  const cpuMs = server.cpuSeconds() * 1_000;
  const url = await webhookOf(server);
  const times: number[] = [];
  for (let request = 0; request < FIRST_REQUESTS; request++) {
    const began = performance.now();
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY });
    await response.text();
    if (!response.ok) throw new Error(`A webhook answered ${response.status}`);
    times.push(performance.now() - began);
  }
  await sleep(IDLE_MS);
  return { readyMs, cpuMs, idleMiB: server.rss(), firstP50: median(times), firstP99: percentile(times, 0.99) };
}

async function measureWarmUp(server: BenchServer): Promise<(string | number)[][]> {
  const url = await webhookOf(server);
  const rows: (string | number)[][] = [];
  for (const [name, seconds] of [
    ['0 to 3', 3],
    ['3 to 10', 7],
    ['10 to 20', 10],
    ['20 to 25 (warm)', 5],
  ] as const) {
    const { perSecond, p50, p99 } = await drive({ url, method: 'POST', body: BODY, connections: CONNECTIONS, seconds });
    rows.push([name, Math.round(perSecond), Math.round(p50 * 10) / 10, Math.round(p99 * 10) / 10]);
  }
  return rows;
}

/** The address of a new workflow of five steps that answers with its result. */
async function webhookOf(server: BenchServer): Promise<string> {
  const tenant = await Tenant.register(server.url);
  return `${server.url}/webhooks/${await tenant.workflow('start')}/sync`;
}

const print = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): void =>
  void process.stdout.write(`${table(head, rows)}\n\n`);

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
