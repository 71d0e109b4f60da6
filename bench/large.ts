/**
 * How fast lists and long runs are read: `npm run bench:large -- --runs 200000 --steps 100000`. A server of its own with the
 * built-in store, whose workspace is filled through the store. `--keep` prints the folder and leaves it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Tenant } from './client';
import { addLongRun, addRuns, fillFrom, LONG_STEPS } from './large-workspace';
import { percentile, timings } from './percentile';
import { type BenchServer, startServerOn } from './server';
import { table } from './tables';

const TIMES = 20;
const PAGE = 200;

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** Fills the workspace of a running server; the id of its long run. */
const fill = (dataDir: string, runId: string, runs: number, steps: number): Promise<string> =>
  fillFrom(dataDir, runId, async (collections, template) => {
    const began = performance.now();
    await addRuns(collections.executions, template, runs, Date.now() - 60_000);
    log(`${runs} runs written in ${Math.round(performance.now() - began)} ms`);
    const long = await addLongRun(collections, template, steps, Date.now());
    log(`all of it in ${Math.round(performance.now() - began)} ms`);
    return long;
  });

/** The first request, and the median and 99th percentile of others. */
async function timed(name: string, call: () => Promise<unknown>): Promise<(string | number)[]> {
  const [first = 0, ...others] = await timings(TIMES + 1, call);
  const row = [first, percentile(others, 0.5), percentile(others, 0.99)].map((ms) => Math.round(ms * 10) / 10);
  log(`${name}: ${row.join(', ')} ms`);
  return [name, ...row];
}

async function measure(server: BenchServer, tenant: Tenant, id: string, steps: number): Promise<(string | number)[][]> {
  const get = (path: string) => () => tenant.get(`/api/v1/executions${path}`);
  const failed = encodeURIComponent('ExecutionStatus = "Failed"');
  const rss = server.rss();
  const rows = [
    await timed('list of runs, first page', get('?limit=50')),
    await timed('list of failed runs, first page', get(`/visibility?query=${failed}&limit=50`)),
    await timed('run', get(`/${id}`)),
    // Indexes the journal once.
    await timed('timeline with collapsed loops', get(`/${id}/timeline?loops=collapsed&limit=${PAGE}`)),
    await timed('steps with collapsed loops', get(`/${id}/detail?loops=collapsed&values=false&limit=${PAGE}`)),
    await timed(
      'window in the middle of the loop',
      get(`/${id}/detail?parent=each&loops=collapsed&values=false&limit=${PAGE}&offset=${Math.floor(steps / 2)}`),
    ),
    await timed('spans of such a window', get(`/${id}/timeline?parent=each&limit=${PAGE}&offset=${steps / 2}`)),
    await timed('failed steps of the loop', get(`/${id}/detail?parent=each&status=failed&values=false&limit=${PAGE}`)),
    await timed('one step with its values', get(`/${id}/detail?path=each/steps[${steps / 2}]/charge`)),
  ];
  log(`resident memory: ${rss} to ${server.rss()} MiB`);
  return rows;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '200000' },
      steps: { type: 'string', default: '100000' },
      keep: { type: 'boolean', default: false },
    },
  });
  const [runs, steps] = [Number(values.runs), Number(values.steps)];
  if (!Number.isSafeInteger(runs) || !Number.isSafeInteger(steps) || runs < 1 || steps < 1 || steps > 100_000)
    throw new Error('npm run bench:large -- [--runs N] [--steps N, at most 100000] [--keep]');
  const dataDir = mkdtempSync(join(tmpdir(), 'everstep-large-'));
  const server = await startServerOn(dataDir);
  try {
    const tenant = await Tenant.register(server.url);
    const workflow = await tenant.workflow('Charge', LONG_STEPS);
    const template = await tenant.start(workflow);
    await tenant.settled(workflow, 30_000);
    const long = await fill(dataDir, template, runs, steps);
    const rows = await measure(server, tenant, long, steps);
    process.stdout.write(`${table(['', 'first, ms', 'p50 ms', 'p99 ms'], rows)}\n`);
    if (values.keep)
      process.stdout.write(`\n${dataDir}: workspace bench, bench@example.com, bench-password; run ${long}\n`);
  } finally {
    await server.stop();
    if (!values.keep) rmSync(dataDir, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
