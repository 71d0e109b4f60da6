import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createRegistry, type Metrics, type Registry, SILENT_METRICS } from '../lib/metrics';
import { observeProcess } from '../lib/metrics/process';
import { type Probes, STARTING } from './probes';
import { VERSION } from './version';

/** The metrics of a process, and the server that exposes them. */
export interface MetricsServer {
  readonly metrics: Metrics;
  /** The port of the server; null without METRICS_PORT. */
  readonly port: number | null;
  /** Sets the source of the health endpoints. */
  watch(probes: Probes): void;
  close(): Promise<void>;
}

/** Prefix of the database file and of the files that SQLite keeps beside it. */
const STORE_FILES = 'data.db';
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Starts the metrics server if METRICS_PORT is set. @throws Error when the address cannot be used */
export async function openMetrics({
  host,
  metricsPort,
}: {
  readonly host: string;
  readonly metricsPort: number | null;
}): Promise<MetricsServer> {
  if (metricsPort === null) return { metrics: SILENT_METRICS, port: null, watch() {}, close: async () => {} };
  const registry = createRegistry();
  let probes = STARTING;
  const server = createServer((request, response) => void answer({ registry, probes }, request, response));
  server.listen(metricsPort, host);
  await once(server, 'listening');
  const leave = observeProcess(registry.metrics);
  registry.metrics.build.set(1, VERSION, process.version);
  return {
    metrics: registry.metrics,
    port: (server.address() as AddressInfo).port,
    watch(those) {
      probes = those;
    },
    async close() {
      leave();
      await closed(server);
    },
  };
}

/** Reports the size of the built-in store's files at each scrape. */
export const observeFiles = (metrics: Metrics, dir: string): (() => void) =>
  metrics.onCollect(async () => {
    const names = (await readdir(dir)).filter((name) => name.startsWith(STORE_FILES));
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size));
    metrics.storeSize.set(sizes.reduce((sum, size) => sum + size, 0));
  });

/** Response by path. */
const PAGES: Readonly<Record<string, (sources: Sources) => Promise<Page>>> = {
  '/metrics': async ({ registry }) => ({ status: 200, type: CONTENT_TYPE, text: await registry.text() }),
  '/workers': async ({ probes }) => details(await probes.details('workers')),
  '/keys': async ({ probes }) => details(await probes.details('keys')),
  '/health/live': async () => healthPage(null),
  '/health/startup': async ({ probes }) => healthPage(probes.up()),
  '/health/ready': async ({ probes }) => healthPage(await probes.ready()),
};

interface Sources {
  readonly registry: Registry;
  readonly probes: Probes;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const healthPage = (reason: string | null): Page => ({
  status: reason === null ? 200 : 503,
  type: 'application/json',
  text: JSON.stringify(reason === null ? { status: 'ok' } : { status: 'unavailable', reason }),
});

const details = (known: unknown): Page =>
  known === null
    ? healthPage('no process answers')
    : { status: 200, type: 'application/json', text: JSON.stringify(known) };

async function answer(sources: Sources, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = url?.split('?')[0] ?? '';
  const page = Object.hasOwn(PAGES, path) ? PAGES[path] : undefined;
  if (page === undefined || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(page === undefined ? 404 : 405, page === undefined ? {} : { allow: 'GET, HEAD' }).end();
    return;
  }
  const { status, type, text } = await page(sources);
  response.writeHead(status, { 'content-type': type }).end(method === 'HEAD' ? undefined : text);
}

function closed(server: Server): Promise<void> {
  const whenClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Scrapers keep their connections open.
  server.closeAllConnections();
  return whenClosed;
}
