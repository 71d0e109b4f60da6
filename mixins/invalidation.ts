/**
 * Invalidates caches of all processes. Owns the acknowledgement: a change is answered when every known process
 * has dropped its cached answers; where one does not acknowledge, or the bus is lost, when what it may know is too
 * old to be used.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import type { App } from '../services/app';
import { isConnected } from '../lib/bus/internals';
import { NO_TENANT } from '../lib/principal';

/** How long a cached answer that can change is used where nothing says that it has. */
export const CACHE_MAX_AGE_MS = 1_000;

/** The action by which a process drops what it knows. */
const FORGET = 'caches.forget';
const SERVICE = FORGET.slice(0, FORGET.indexOf('.'));

/** Patterns in one message. */
const MAX_PATTERNS = 500;

type InvalidationDeps = Pick<App, 'principals' | 'clock'>;

/** Resolves when no process of the cluster uses an answer from before the change; never fails. */
export async function invalidate(
  app: InvalidationDeps,
  broker: ServiceBroker,
  patterns: readonly string[],
): Promise<void> {
  const tooOldAt = performance.now() + CACHE_MAX_AGE_MS;
  const parts = Array.from({ length: Math.ceil(patterns.length / MAX_PATTERNS) }, (_, n) =>
    patterns.slice(n * MAX_PATTERNS, (n + 1) * MAX_PATTERNS),
  );
  const acknowledged = await Promise.all(parts.map((part) => invalidatePart(app, broker, part)));
  if (acknowledged.every(Boolean)) return;
  await sleep(Math.max(0, tooOldAt - performance.now()));
}

/** False when some process may not have dropped it. */
async function invalidatePart(app: InvalidationDeps, broker: ServiceBroker, patterns: string[]): Promise<boolean> {
  await broker.broadcastLocal('cache.stale', { patterns });
  const connected = isConnected(broker);
  if (connected === null) return true;
  const answers = await Promise.all(peersOf(broker).map((nodeId) => forgets(app, broker, nodeId, patterns)));
  return connected && answers.every(Boolean);
}

/** Other processes that have caches. */
const peersOf = (broker: ServiceBroker): string[] =>
  broker.registry.nodes
    .toArray()
    .filter(({ id, available, services }) => available && id !== broker.nodeID && services.some(isCaches))
    .map(({ id }) => id);

const isCaches = ({ name }: { name?: unknown }): boolean => name === SERVICE;

async function forgets(
  app: InvalidationDeps,
  broker: ServiceBroker,
  nodeID: string,
  patterns: string[],
): Promise<boolean> {
  const meta = { principal: app.principals.forTenant(NO_TENANT, app.clock.now()) };
  try {
    await broker.call(FORGET, { patterns }, { nodeID, timeout: CACHE_MAX_AGE_MS, meta });
    return true;
  } catch (fault) {
    broker.logger.debug(`${nodeID} has not acknowledged that caches are stale`, fault);
    return false;
  }
}
