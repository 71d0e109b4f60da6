import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createRegistry, type Metrics, type Registry, SILENT_METRICS } from '../lib/metrics';
import { observeProcess } from '../lib/metrics/process';
import { VERSION } from './version';

/** The metrics of a process, and the door to them. */
export interface Metering {
  readonly metrics: Metrics;
  /** Where they can be asked for; null without METRICS_PORT. */
  readonly port: number | null;
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
  if (metricsPort === null) return { metrics: SILENT_METRICS, port: null, close: async () => {} };
  const registry = createRegistry();
  const server = createServer((request, response) => void answer(registry, request, response));
  server.listen(metricsPort, host);
  await once(server, 'listening');
  const leave = observeProcess(registry.metrics);
  registry.metrics.build.set(1, VERSION, process.version);
  return {
    metrics: registry.metrics,
    port: (server.address() as AddressInfo).port,
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

async function answer(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = url?.split('?')[0] === '/metrics';
  if (!asked || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(asked ? 405 : 404, asked ? { allow: 'GET, HEAD' } : {}).end();
    return;
  }
  const text = await registry.text();
  response.writeHead(200, { 'content-type': CONTENT_TYPE }).end(method === 'HEAD' ? undefined : text);
}

function closed(server: Server): Promise<void> {
  const over = new Promise<void>((resolve) => server.close(() => resolve()));
  // Scrapers keep their connections.
  server.closeAllConnections();
  return over;
}
