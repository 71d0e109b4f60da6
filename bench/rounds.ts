import type { Tenant } from './client';
import { drive } from './drive';
import type { LoadResult } from './load';
import { median } from './percentile';
import type { BenchServer } from './server';

/** Medians over the rounds of one measuring point. Milliseconds and MiB. */
export interface Row {
  readonly name: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor milliseconds of the server, all threads, per answer. */
  readonly cpuMs: number;
  readonly rssBefore: number;
  readonly rssAfter: number;
}

interface Point {
  readonly name: string;
  readonly connections: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

interface Sample extends LoadResult {
  readonly cpuMs: number;
  readonly rssBefore: number;
  readonly rssAfter: number;
}

const BODY = JSON.stringify({ n: 1, customer: 'a customer', lines: [1, 2, 3] });
/** Runs that were accepted may end after the load has. */
const SETTLE_MS = 60_000;

/** Every point once a round, so that a slow minute of the machine does not fall on one point alone. */
export async function measureRounds(
  server: BenchServer,
  tenant: Tenant,
  options: { readonly rounds: number; readonly seconds: number },
  log: (line: string) => void,
): Promise<Row[]> {
  const sync = await tenant.workflow('sync');
  const accepted = await tenant.workflow('accepted');
  const points: Point[] = [
    { name: 'GET /health (baseline)', connections: 16, method: 'GET', path: '/health' },
    ...[1, 16, 50].map(
      (connections): Point => ({ name: 'webhook, sync', connections, method: 'POST', path: `/webhooks/${sync}/sync` }),
    ),
    { name: 'webhook, accepted (202)', connections: 16, method: 'POST', path: `/webhooks/${accepted}` },
  ];
  const samples = new Map<Point, Sample[]>(points.map((point) => [point, []]));
  log('warm-up');
  for (const point of points) await sample(server, point, 3);
  await tenant.settled(accepted, SETTLE_MS);
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const point of points) {
      const found = await sample(server, point, options.seconds);
      samples.get(point)?.push(found);
      log(`round ${round}: ${point.name}, ${point.connections}: ${Math.round(found.perSecond)}/s`);
      if (point.path === `/webhooks/${accepted}`) await assertAllEnded(tenant, accepted, found, log);
    }
  }
  return points.map((point) => medians(point, samples.get(point) ?? []));
}

/** @throws Error when an answer was anything but 2xx: figures of refusals mean nothing */
async function sample(server: BenchServer, { path, method, connections }: Point, seconds: number): Promise<Sample> {
  const rssBefore = server.rss();
  const cpuBefore = server.cpuSeconds();
  const url = `${server.url}${path}`;
  const result = await drive({ url, method, connections, seconds, ...(method === 'POST' ? { body: BODY } : {}) });
  if (result.refused > 0 || result.answered === 0) {
    throw new Error(`${method} ${path}: ${result.refused} of ${result.refused + result.answered} requests failed`);
  }
  const cpuMs = ((server.cpuSeconds() - cpuBefore) * 1_000) / result.answered;
  return { ...result, cpuMs, rssBefore, rssAfter: server.rss() };
}

async function assertAllEnded(tenant: Tenant, workflowId: string, load: LoadResult, log: (line: string) => void) {
  const began = performance.now();
  const { total, completed } = await tenant.settled(workflowId, SETTLE_MS);
  const statuses = await Promise.all(load.executionIds.map((id) => tenant.status(id)));
  const unfinished = statuses.filter((status) => status !== 'completed').length;
  if (completed !== total || unfinished > 0) {
    throw new Error(`${total - completed} of ${total} accepted runs did not complete; ${unfinished} of the newest`);
  }
  log(`  all of ${total} accepted runs are completed, ${Math.round(performance.now() - began)} ms after the load`);
}

function medians({ name, connections }: Point, samples: readonly Sample[]): Row {
  const middle = (of: (sample: Sample) => number): number => median(samples.map(of));
  return {
    name,
    connections,
    perSecond: middle((found) => found.perSecond),
    p50: middle((found) => found.p50),
    p99: middle((found) => found.p99),
    cpuMs: middle((found) => found.cpuMs),
    rssBefore: samples[0]?.rssBefore ?? Number.NaN,
    rssAfter: samples.at(-1)?.rssAfter ?? Number.NaN,
  };
}

/** Drives `runs` runs through the sync webhook and looks at the memory every 10,000. */
export async function soak(
  server: BenchServer,
  tenant: Tenant,
  runs: number,
  log: (line: string) => void,
): Promise<{ readonly runs: number; readonly rss: number }[]> {
  const path = `/webhooks/${await tenant.workflow('soak')}/sync`;
  const seen = [{ runs: 0, rss: server.rss() }];
  const result = await drive(
    { url: `${server.url}${path}`, method: 'POST', body: BODY, connections: 16, amount: runs, reportEvery: 10_000 },
    (answered) => {
      seen.push({ runs: answered, rss: server.rss() });
      log(`${answered} runs: ${server.rss()} MiB`);
    },
  );
  if (result.refused > 0) throw new Error(`${result.refused} of ${runs} runs failed`);
  return seen;
}
