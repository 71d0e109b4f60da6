import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from './client';
import { drive } from './drive';
import type { LoadResult } from './load';
import { median } from './percentile';
import { RESTATE_PATH } from './restate';
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
  /** Each request has another value of `key` in its body. */
  readonly uniqueKey?: boolean;
  /** For starts that are answered before the end: after the load, all runs of this workflow must complete. */
  readonly settled?: { readonly tenant: Tenant; readonly workflowId: string };
}

interface Sample extends LoadResult {
  readonly cpuMs: number;
  readonly rssBefore: number;
  readonly rssAfter: number;
}

/** Precedes the names of the points of another build. */
export const OTHER = 'other: ';
export const BODY = JSON.stringify({ n: 1, customer: 'a customer', lines: [1, 2, 3] });
/** Runs that were accepted may end after the load has. */
const SETTLE_MS = 60_000;
const IDLE_MS = 10_000;

/** A server with the points that are measured on it. */
export interface Target {
  readonly server: BenchServer;
  readonly points: readonly Point[];
}

/** The points of a server of ours. `prefix` precedes their names. */
export async function everstep(prefix: string, server: BenchServer, tenant: Tenant): Promise<Target> {
  const sync = await tenant.workflow('sync');
  const keyed = await tenant.workflow('keyed', undefined, { concurrency: { key: '{{ trigger.body.key }}' } });
  const accepted = await tenant.workflow('accepted');
  const settled = { tenant, workflowId: accepted };
  return {
    server,
    points: [
      { name: `${prefix}GET /health (baseline)`, connections: 16, method: 'GET', path: '/health' },
      ...[1, 16, 50].map(
        (connections): Point => ({
          name: `${prefix}webhook, sync`,
          connections,
          method: 'POST',
          path: `/webhooks/${sync}/sync`,
        }),
      ),
      {
        name: `${prefix}webhook, sync, with a concurrency key of its own`,
        connections: 16,
        method: 'POST',
        path: `/webhooks/${keyed}/sync`,
        uniqueKey: true,
      },
      {
        name: `${prefix}webhook, accepted (202)`,
        connections: 16,
        method: 'POST',
        path: `/webhooks/${accepted}`,
        settled,
      },
    ],
  };
}

export const restateTarget = (server: BenchServer): Target => ({
  server,
  points: [1, 16, 50].map((connections) => ({
    name: 'Restate, request and response',
    connections,
    method: 'POST',
    path: RESTATE_PATH,
  })),
});

/** Measures every point of every target once a round, so that a slow minute of the machine does not affect one alone. */
export async function measureRounds(
  targets: readonly Target[],
  options: { readonly rounds: number; readonly seconds: number },
  log: (line: string) => void,
): Promise<Row[]> {
  const all = targets.flatMap(({ server, points }) => points.map((point) => ({ server, point })));
  const samples = new Map<Point, Sample[]>(all.map(({ point }) => [point, []]));
  log('warm-up');
  for (const { server, point } of all) {
    await sample(server, point, 3);
    if (point.settled !== undefined) await point.settled.tenant.settled(point.settled.workflowId, SETTLE_MS);
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const { server, point } of all) {
      const found = await sample(server, point, options.seconds);
      samples.get(point)?.push(found);
      log(`round ${round}: ${point.name}, ${point.connections}: ${Math.round(found.perSecond)}/s`);
      if (point.settled !== undefined) await assertAllEnded(point.settled, found, log);
    }
  }
  return all.map(({ point }) => medians(point, samples.get(point) ?? []));
}

/** @throws Error when an answer was anything but 2xx: figures of refusals mean nothing */
async function sample(server: BenchServer, point: Point, seconds: number): Promise<Sample> {
  const { path, method, connections, uniqueKey = false } = point;
  const rssBefore = server.rss();
  const cpuBefore = server.cpuSeconds();
  const url = `${server.url}${path}`;
  const body = method === 'POST' ? { body: BODY, uniqueKey } : {};
  const result = await drive({ url, method, connections, seconds, ...body });
  if (result.refused > 0 || result.answered === 0) {
    throw new Error(`${method} ${path}: ${result.refused} of ${result.refused + result.answered} requests failed`);
  }
  const cpuMs = ((server.cpuSeconds() - cpuBefore) * 1_000) / result.answered;
  return { ...result, cpuMs, rssBefore, rssAfter: server.rss() };
}

async function assertAllEnded(
  { tenant, workflowId }: NonNullable<Point['settled']>,
  load: LoadResult,
  log: (line: string) => void,
): Promise<void> {
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

/** Resident memory in MiB after so many runs. */
export interface Resident {
  readonly runs: string;
  readonly rss: number;
}

/** Drives `runs` runs through the sync webhook and looks at the memory every 10,000, and when the server has been idle. */
export async function soak(
  server: BenchServer,
  tenant: Tenant,
  runs: number,
  log: (line: string) => void,
): Promise<Resident[]> {
  const path = `/webhooks/${await tenant.workflow('soak')}/sync`;
  const seen: Resident[] = [{ runs: '0', rss: server.rss() }];
  const result = await drive(
    { url: `${server.url}${path}`, method: 'POST', body: BODY, connections: 16, amount: runs, reportEvery: 10_000 },
    (answered) => {
      seen.push({ runs: String(answered), rss: server.rss() });
      log(`${answered} runs: ${server.rss()} MiB`);
    },
  );
  if (result.refused > 0) throw new Error(`${result.refused} of ${runs} runs failed`);
  await sleep(IDLE_MS);
  return [...seen, { runs: `${runs}, ${IDLE_MS / 1_000} s later`, rss: server.rss() }];
}
