/**
 * Invalidates caches of all processes. A change is answered when every known process has acknowledged that it dropped its
 * cached values. Without an acknowledgement, or without the bus, it is answered when the cached values have expired.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import type { App } from '../services/app';
import { isConnected } from '../lib/bus/internals';
import { NO_TENANT } from '../lib/principal';

/** Lifetime of cached values that can change, if no invalidation arrives. */
export const CACHE_MAX_AGE_MS = 1_000;
/** Values that each start of a run needs are read again so long before they expire, while they are in use. */
export const REFRESH_AHEAD_MS = CACHE_MAX_AGE_MS / 2;

const MAX_PATTERNS_PER_CALL = 500;

type InvalidationDeps = Pick<App, 'principals' | 'clock'>;

/** Resolves when no process of the cluster uses a value from before the change. Never fails. */
export async function invalidate(
  app: InvalidationDeps,
  broker: ServiceBroker,
  patterns: readonly string[],
): Promise<void> {
  const expiredAt = performance.now() + CACHE_MAX_AGE_MS;
  const parts = Array.from({ length: Math.ceil(patterns.length / MAX_PATTERNS_PER_CALL) }, (_, n) =>
    patterns.slice(n * MAX_PATTERNS_PER_CALL, (n + 1) * MAX_PATTERNS_PER_CALL),
  );
  const acknowledged = await Promise.all(parts.map((part) => invalidatePart(app, broker, part)));
  if (acknowledged.every(Boolean)) return;
  await sleep(Math.max(0, expiredAt - performance.now()));
}

/** False when a process may not have dropped its values. */
async function invalidatePart(app: InvalidationDeps, broker: ServiceBroker, patterns: string[]): Promise<boolean> {
  await broker.broadcastLocal('cache.stale', { patterns });
  const connected = isConnected(broker);
  if (connected === null) return true;
  const peers = broker.registry.nodes
    .toArray()
    .filter(({ id, available, services }) => available && id !== broker.nodeID && services.some(isCachesService));
  const meta = { principal: app.principals.forTenant(NO_TENANT, app.clock.now()) };
  const acknowledged = await Promise.all(
    peers.map(async ({ id: nodeID }) => {
      try {
        await broker.call('caches.forget', { patterns }, { nodeID, timeout: CACHE_MAX_AGE_MS, meta });
        return true;
      } catch (fault) {
        broker.logger.debug(`${nodeID} has not acknowledged a cache invalidation`, fault);
        return false;
      }
    }),
  );
  return connected && acknowledged.every(Boolean);
}

const isCachesService = ({ name }: { name?: unknown }): boolean => name === 'caches';
