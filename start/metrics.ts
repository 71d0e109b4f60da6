import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createRegistry, type Metrics, type Registry, SILENT_METRICS } from '../lib/metrics';
import { observeProcess } from '../lib/metrics/process';
import { type Probes, STARTING } from './probes';
import { VERSION } from './version';

/** The metrics of a process, and the door to them. */
export interface Metering {
  readonly metrics: Metrics;
  /** Where they can be asked for; null without METRICS_PORT. */
  readonly port: number | null;
  /** From now on probes are answered by these. */
  watch(probes: Probes): void;
  close(): Promise<void>;
}

/** The database, and what SQLite keeps beside it. */
const STORE_FILES = 'data.db';
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Opens the port of the metrics, if there is to be one. @throws Error of the system when the address cannot be had */
export async function openMetrics({
  host,
  metricsPort,
}: {
  readonly host: string;
  readonly metricsPort: number | null;
}): Promise<Metering> {
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

/** The files of the built-in store in a folder, as they are at each scrape. */
export const observeFiles = (metrics: Metrics, dir: string): (() => void) =>
  metrics.sampled(async () => {
    const names = (await readdir(dir)).filter((name) => name.startsWith(STORE_FILES));
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size));
    metrics.storeSize.set(sizes.reduce((sum, size) => sum + size, 0));
  });

/** What this port answers by path: a status, a type and a text. */
const PAGES: Readonly<Record<string, (door: Door) => Promise<Page>>> = {
  '/metrics': async ({ registry }) => ({ status: 200, type: CONTENT_TYPE, text: await registry.text() }),
  '/health/live': async () => said(null),
  '/health/startup': async ({ probes }) => said(probes.up()),
  '/health/ready': async ({ probes }) => said(await probes.ready()),
};

interface Door {
  readonly registry: Registry;
  readonly probes: Probes;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const said = (reason: string | null): Page => ({
  status: reason === null ? 200 : 503,
  type: 'application/json',
  text: JSON.stringify(reason === null ? { status: 'ok' } : { status: 'unavailable', reason }),
});

async function answer(door: Door, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = url?.split('?')[0] ?? '';
  const page = Object.hasOwn(PAGES, path) ? PAGES[path] : undefined;
  if (page === undefined || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(page === undefined ? 404 : 405, page === undefined ? {} : { allow: 'GET, HEAD' }).end();
    return;
  }
  const { status, type, text } = await page(door);
  response.writeHead(status, { 'content-type': type }).end(method === 'HEAD' ? undefined : text);
}

function closed(server: Server): Promise<void> {
  const over = new Promise<void>((resolve) => server.close(() => resolve()));
  // Scrapers keep their connections.
  server.closeAllConnections();
  return over;
}
