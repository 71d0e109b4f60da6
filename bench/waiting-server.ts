/**
 * What a server does while very many runs of a tenant wait: `npm run bench:waiting-server -- --runs 1000000`. A server of its
 * own with the built-in store, filled through the store: runs, lists, and its start on that data.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Tenant } from './client';
import { addWaitingRuns, fillFrom } from './large-workspace';
import { percentile, timings } from './percentile';
import { BODY } from './rounds';
import { type BenchServer, startServerOn } from './server';
import { table } from './tables';

const WARM_UP = 20;
const ROUNDS = 180;
const JSON_BODY = { 'content-type': 'application/json' };
const WAIT = [{ id: 'wait', type: 'wait_for_signal', config: { signal: 'go' } }];

const log = (line: string): void => void process.stderr.write(`${line}\n`);

const fill = (dataDir: string, runId: string, runs: number): Promise<void> =>
  fillFrom(dataDir, runId, async ({ executions }, template) => {
    if (template.owner !== null) throw new Error('The run of which copies are made is still in memory');
    const began = performance.now();
    await addWaitingRuns(executions, template, runs, Date.now());
    log(`${runs} runs written in ${Math.round(performance.now() - began)} ms`);
  });

/** Median and 99th percentile of a call, in milliseconds. */
async function timed(call: () => Promise<unknown>): Promise<[number, number]> {
  const took = (await timings(WARM_UP + ROUNDS, call)).slice(WARM_UP);
  const tenths = (share: number): number => Math.round(percentile(took, share) * 10) / 10;
  return [tenths(0.5), tenths(0.99)];
}

async function measure(server: BenchServer, tenant: Tenant, workflow: string): Promise<Map<string, [number, number]>> {
  const waitingWorkflow = await tenant.workflow('Wait', WAIT);
  const running = encodeURIComponent('ExecutionStatus = "Running"');
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    'webhook, sync': async () => {
      const response = await fetch(`${server.url}/webhooks/${workflow}/sync`, {
        method: 'POST',
        headers: JSON_BODY,
        body: BODY,
      });
      if (!response.ok) throw new Error(`A webhook was answered with ${response.status}`);
      await response.arrayBuffer();
    },
    'a run that waits, and its message': async () => {
      const id = await tenant.start(waitingWorkflow);
      while (!(await tenant.waits(id))) await sleep(1);
      await tenant.signal(id, 'go');
    },
    'list of runs, first page': () => tenant.get('/api/v1/executions?limit=50'),
    'list of running runs, first page': () => tenant.get(`/api/v1/executions/visibility?query=${running}&limit=50`),
  };
  const rows = new Map<string, [number, number]>();
  for (const [name, call] of Object.entries(calls)) {
    rows.set(name, await timed(call));
    log(`${name}: ${rows.get(name)?.join(', ')} ms`);
  }
  return rows;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '200000' } } });
  const runs = Number(values.runs);
  if (!Number.isSafeInteger(runs) || runs < 1) throw new Error('npm run bench:waiting-server -- [--runs N]');
  const dataDir = mkdtempSync(join(tmpdir(), 'everstep-waiting-'));
  let server = await startServerOn(dataDir);
  try {
    const tenant = await Tenant.register(server.url);
    const workflow = await tenant.workflow('Five steps');
    const none = await measure(server, tenant, workflow);
    const template = await tenant.start(await tenant.workflow('Wait long', WAIT));
    while (!(await tenant.waits(template))) await sleep(10);
    await fill(dataDir, template, runs);
    const many = await measure(server, tenant, workflow);
    const rows = [...many].map(([name, figures]) => [name, ...(none.get(name) ?? []), ...figures]);
    process.stdout.write(`${table(['ms', 'none waits: p50', 'p99', `${runs} wait: p50`, 'p99'], rows)}\n`);
    log(`resident memory: ${server.rss()} MiB`);
    await server.stop();
    const began = performance.now();
    server = await startServerOn(dataDir);
    process.stdout.write(`\nready ${Math.round(performance.now() - began)} ms after the start on this data\n`);
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
