/** What scripts of `code` steps cost, and what hostile ones cost everybody else: `npm run bench:sandbox`. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../lib/json';
import { type Sandbox, SandboxPool } from '../lib/sandbox';
import { percentile } from './percentile';
import { table } from './tables';

const ROUNDS = 500;
const IN_FLIGHT = 16;
const THROUGHPUT_MS = 5_000;
const SIEGE_MS = 10_000;

const TRIVIAL = 'return 1 + 1';
const MAP = 'return input.map((order) => ({ id: order.id, gross: order.net * 1.19, label: `#${order.id}` }))';
const ADD = 'let sum = 0; for (let i = 0; i < 1e6; i++) sum += i; return sum';
const ORDERS = Array.from({ length: 1_000 }, (_, id) => ({ id, net: id / 10, customer: `customer-${id}` }));

/** Scripts that want everything. Each is ended after a quarter of a second. */
const HOSTILE = [
  'while (true);',
  'const f = () => Promise.resolve().then(f); await f()',
  'const all = []; for (;;) all.push(new Uint8Array(1e6))',
  'const f = () => f(); f()',
  'return /^(a+)+$/.test("a".repeat(40) + "b")',
  '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)',
  'for (;;) console.log("flood")',
  'return "x".repeat(2 ** 20 - 2)',
];

async function run(box: Sandbox, source: string, globals: JsonObject = {}, timeoutMs = 10_000): Promise<void> {
  const result = await box.run({ source, globals, timeoutMs, signal: new AbortController().signal });
  if (result.kind === 'error' && timeoutMs === 10_000) throw new Error(`${source}: ${result.message}`);
}

async function timed(call: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await call();
  return performance.now() - began;
}

/** Milliseconds of processor time, all threads of the process together. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function latency(name: string, rounds: number, call: (round: number) => Promise<void>): Promise<string[]> {
  const took: number[] = [];
  const cpu = cpuMs();
  for (let round = 0; round < rounds; round++) took.push(await timed(() => call(round)));
  const each = (cpuMs() - cpu) / rounds;
  return [name, ...[0.5, 0.99].map((share) => percentile(took, share).toFixed(2)), each.toFixed(2)];
}

/** Many in flight, each lane doing one after the other. */
async function throughput(name: string, pool: SandboxPool, laneOf: (n: number) => string): Promise<string[]> {
  const until = performance.now() + THROUGHPUT_MS;
  const cpu = cpuMs();
  let done = 0;
  const lane = async (n: number): Promise<void> => {
    for (const box = pool.lane(laneOf(n)); performance.now() < until; done++) await run(box, TRIVIAL);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, n) => lane(n)));
  return [name, (done / (THROUGHPUT_MS / 1_000)).toFixed(0), ((cpuMs() - cpu) / done).toFixed(2)];
}

/** How late the host's event loop was while something went on: median, 99th percentile, most, in milliseconds. */
async function lateness(name: string, meanwhile: () => Promise<unknown>): Promise<string[]> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await meanwhile();
  delay.disable();
  return [name, ...[delay.percentile(50), delay.percentile(99), delay.max].map((ns) => (ns / 1e6).toFixed(1))];
}

/** A polite lane and the event loop, while hostile lanes keep every thread busy that they can get. */
async function siege(pool: SandboxPool): Promise<string[][]> {
  const idle = await lateness('event loop of the process, idle', () => sleep(THROUGHPUT_MS));
  const until = performance.now() + SIEGE_MS;
  const took: number[] = [];
  const lanes = HOSTILE.map(async (source, n) => {
    for (const box = pool.lane(`hostile-${n}`); performance.now() < until; ) await run(box, source, {}, 250);
  });
  const polite = async (): Promise<void> => {
    for (const box = pool.lane('polite'); performance.now() < until; ) took.push(await timed(() => run(box, TRIVIAL)));
  };
  const besieged = await lateness('event loop of the process', () => Promise.all([...lanes, polite()]));
  return [
    ['trivial script of another lane', ...[0.5, 0.99, 1].map((share) => percentile(took, share).toFixed(1))],
    besieged,
    idle,
  ];
}

const rssMib = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20);
const print = (text: string): void => void process.stdout.write(`${text}\n\n`);

async function main(): Promise<void> {
  const rss = [rssMib()];
  const pool = new SandboxPool();
  try {
    const box = pool.lane('bench');
    const first = await latency('the first script of the process', 1, () => run(box, TRIVIAL));
    rss.push(rssMib());
    print(
      table(
        ['one at a time', 'p50 ms', 'p99 ms', 'CPU ms each'],
        [
          await latency('trivial', ROUNDS, () => run(box, TRIVIAL)),
          await latency('trivial, each time another lane', 100, (n) => run(pool.lane(String(n)), TRIVIAL)),
          await latency('1,000 objects in, mapped, out', 100, () => run(box, MAP, { input: ORDERS })),
          await latency('1,000,000 additions', 20, () => run(box, ADD)),
          first,
        ],
      ),
    );
    print(
      table(
        [`${IN_FLIGHT} at a time`, 'per second', 'CPU ms each'],
        [
          await throughput('trivial, all of one lane', pool, () => 'bench'),
          await throughput('trivial, each of its own lane', pool, String),
        ],
      ),
    );
    print(table([`${HOSTILE.length} hostile lanes`, 'p50 ms', 'p99 ms', 'most ms'], await siege(pool)));
    rss.push(rssMib());
    print(table(['RSS MiB', 'before', 'first script', 'in the end'], [['process', ...rss]]));
  } finally {
    await pool.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
