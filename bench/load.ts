import autocannon from 'autocannon';
import { randomUUID } from 'node:crypto';
import { percentile } from './percentile';

/** The configuration of a load process, as JSON in its last argument. */
export interface LoadOrder {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  /** Adds a member `key` to the body, with another value in each request. */
  readonly uniqueKey?: boolean;
  readonly connections: number;
  /** Either is given. */
  readonly seconds?: number;
  readonly amount?: number;
  /** Messages about the progress come after so many answers. */
  readonly reportEvery?: number;
}

/** What it found. Milliseconds; `executionIds` are the newest that answers named. */
export interface LoadResult {
  readonly perSecond: number;
  readonly answered: number;
  readonly refused: number;
  readonly p50: number;
  readonly p99: number;
  readonly executionIds: readonly string[];
}

export type LoadMessage =
  | { readonly kind: 'progress'; readonly answered: number }
  | { readonly kind: 'done'; readonly result: LoadResult };

const KEPT_IDS = 1_000;

async function load(order: LoadOrder, say: (message: LoadMessage) => void): Promise<void> {
  // autocannon's own histogram counts whole milliseconds, which is too coarse for answers that take two.
  const latencies: number[] = [];
  const ids: string[] = [];
  const run = autocannon({
    url: order.url,
    method: order.method,
    connections: order.connections,
    ...(order.amount === undefined ? { duration: order.seconds ?? 5 } : { amount: order.amount }),
    ...(order.body === undefined ? {} : { body: order.body, headers: { 'content-type': 'application/json' } }),
    requests: [
      {
        onResponse: (_status, body) => keep(ids, executionIdIn(body)),
        ...(order.uniqueKey === true
          ? { setupRequest: (request) => ({ ...request, body: withKey(order.body ?? '{}', randomUUID()) }) }
          : {}),
      },
    ],
  });
  run.on('response', (_client, _status, _bytes, milliseconds) => {
    latencies.push(milliseconds);
    if (order.reportEvery !== undefined && latencies.length % order.reportEvery === 0) {
      say({ kind: 'progress', answered: latencies.length });
    }
  });
  const result = await run;
  say({
    kind: 'done',
    result: {
      perSecond: result['2xx'] / result.duration,
      answered: result['2xx'],
      refused: result.non2xx + result.errors + result.timeouts,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      executionIds: ids,
    },
  });
}

const withKey = (body: string, key: string): string => body.replace('{', `{"key":"${key}",`);

const executionIdIn = (body: string): string | undefined => /"execution_id":"([^"]+)"/.exec(body)?.[1];

function keep(ids: string[], id: string | undefined): void {
  if (id === undefined) return;
  if (ids.push(id) > KEPT_IDS) ids.shift();
}

// Run as a process of its own, so that the load does not share a thread with what reads the figures.
if (require.main === module) {
  const order = JSON.parse(process.argv.at(-1) ?? '') as LoadOrder;
  load(order, (message) => process.send?.(message)).then(
    () => process.disconnect(),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
}
