/**
 * What long loops cost: `npm run bench:loops -- --items 10000`. A server of its own, with the built-in store; the time is
 * that of the run by its own record, memory is that of the process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Tenant } from './client';
import { type BenchServer, startServer } from './server';
import { percentile } from './percentile';
import { table } from './tables';

/** How long a run may take before the bench gives up. */
const TIMEOUT_MS = 600_000;

const log = (line: string): void => void process.stderr.write(`${line}\n`);

const set = (id: string, value: string): object => ({ id, type: 'set', config: { v: value } });

/** Kinds of loops, each of so many steps in all. */
const loops = (items: number): Record<string, object[]> => ({
  'foreach, one at a time': [foreach(items, 1, [set('a', '{{ loop.item }}')])],
  'foreach, 100 at a time': [foreach(items, 100, [set('a', '{{ loop.item }}')])],
  'foreach of five steps': [
    foreach(items / 5, 10, [
      set('a', '{{ loop.item }}'),
      ...['b', 'c', 'd', 'e'].map((id, index) => set(id, `{{ steps.${'abcd'[index] ?? 'a'}.v }}`)),
    ]),
  ],
  'foreach in foreach': [
    foreach(100, 10, [{ ...foreach(items / 100, 10, [set('a', '{{ loop.item }}')]), id: 'inner' }]),
  ],
  while: [
    {
      id: 'turns',
      type: 'while',
      config: { condition: `{{ loop.index < ${items} }}`, max_iterations: items },
      steps: [set('a', '{{ loop.index }}')],
    },
  ],
});

const foreach = (items: number, concurrency: number, steps: object[]): object => ({
  id: 'each',
  type: 'foreach',
  config: { items: `{{ range(${items}) }}`, concurrency },
  steps,
});

async function measure(server: BenchServer, tenant: Tenant, name: string, steps: object[]): Promise<string[]> {
  const workflow = await tenant.workflow(name, steps);
  const rss = server.rss();
  const cpu = server.cpuSeconds();
  const run = await tenant.start(workflow);
  const { completed } = await tenant.settled(workflow, TIMEOUT_MS);
  if (completed !== 1) throw new Error(`${name}: the run did not complete`);
  const { started_at, ended_at } = await tenant.execution(run);
  const ms = Date.parse(ended_at) - Date.parse(started_at);
  log(`${name}: ${ms} ms`);
  return [name, String(ms), (server.cpuSeconds() - cpu).toFixed(1), String(server.rss() - rss)];
}

/** Median time of a round in ms, of the first and of the last tenth: a signal is sent, and the run waits for the next one. */
async function signalRounds(tenant: Tenant, rounds: number): Promise<string[]> {
  const wait = { id: 'w', type: 'wait_for_signal', config: { signal: 'go' } };
  const config = { condition: `{{ loop.index < ${rounds} }}`, max_iterations: rounds };
  const workflow = await tenant.workflow('signals', [{ id: 'turns', type: 'while', config, steps: [wait] }]);
  const run = await tenant.start(workflow);
  while (!(await tenant.waits(run))) await sleep(1);
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [before] = await tenant.waiting(run);
    const began = performance.now();
    await tenant.signal(run, 'go');
    if (round === rounds - 1) break;
    for (let now = before; now === before || now === undefined; ) [now] = await tenant.waiting(run);
    took.push(performance.now() - began);
    if (round % 500 === 499) log(`signals: ${round + 1} rounds`);
  }
  const { completed } = await tenant.settled(workflow, TIMEOUT_MS);
  if (completed !== 1) throw new Error('signals: the run did not complete');
  const tenth = Math.floor(took.length / 10);
  return [took.slice(0, tenth), took.slice(-tenth)].map((part) => percentile(part, 0.5).toFixed(1));
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { items: { type: 'string', default: '10000' } } });
  const items = Number(values.items);
  if (!Number.isSafeInteger(items) || items < 1_000 || items % 1_000 !== 0)
    throw new Error('--items must be a multiple of 1,000');
  const server = await startServer();
  try {
    const tenant = await Tenant.register(server.url);
    // The first run of a process compiles what all others use.
    await measure(server, tenant, 'warm-up', loops(1_000)['foreach, one at a time'] as object[]);
    const rows: string[][] = [];
    for (const [name, steps] of Object.entries(loops(items))) rows.push(await measure(server, tenant, name, steps));
    const head = [`${items.toLocaleString('en')} steps`, 'ms', 'processor s', 'MiB more'];
    process.stdout.write(`${table(head, rows)}\n`);
    const rounds = items / 5;
    const [first = '', last = ''] = await signalRounds(tenant, rounds);
    const what = `one of ${rounds.toLocaleString('en')} signals`;
    process.stdout.write(`${table([what, 'first tenth, ms', 'last tenth, ms'], [['median', first, last]])}\n`);
  } finally {
    await server.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
