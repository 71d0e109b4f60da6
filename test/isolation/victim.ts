import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import type { Latencies } from './latency';

const PER_SECOND = 20;
const REQUEST_MS = 30_000;
/** An address other than the attackers': limits of public routes count by address. */
const dispatcher = new Agent({ localAddress: '127.0.0.2' });

/**
 * The process of a tenant that sends requests at a steady rate. A request counts from the moment at which it was due, so
 * that one that could not be sent in time is as late as it is for the one who waits.
 */
const [url, path] = process.argv.slice(2) as [string, string];
let took: number[] = [];
let failed = 0;

async function request(due: number): Promise<void> {
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"n":20,"name":"ann"}',
      signal: AbortSignal.timeout(REQUEST_MS),
      dispatcher,
    });
    const text = await response.text();
    if (response.status !== 200 || text !== '{"n":42,"name":"ANN"}') failed += 1;
  } catch {
    // A time-out, or a connection that was cut: to the caller both are a request without an answer.
    failed += 1;
  }
  took.push(performance.now() - due);
}

async function main(): Promise<void> {
  process.on('message', (message: 'reset' | 'read') => {
    if (message === 'read') process.send?.({ took, failed } satisfies Latencies);
    took = [];
    failed = 0;
  });
  process.once('disconnect', () => process.exit(0));
  for (let due = performance.now(); ; due += 1_000 / PER_SECOND) {
    await sleep(Math.max(0, due - performance.now()));
    void request(due);
  }
}

void main();
