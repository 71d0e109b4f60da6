import { errorMessage } from '../../lib/errors';
import { ReadThrough } from '../../lib/read-through';
import { Cache } from '../../lib/cache';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';

/** A change of the plan counts within this time, on every host. */
const TTL_MS = 5_000;
/** For how long an old answer does while nobody gives a new one. */
const STALE_MS = 3_600_000;
const CACHED = 20_000;

/** How many runs of a tenant may be in memory at a time, on all hosts; null: any number. */
export function concurrentLimits(app: App, context: ServiceContext): (tenantId: string) => Promise<number | null> {
  const now = (): number => app.clock.now();
  const fresh = new ReadThrough<number | null>({ max: CACHED, ttlMs: TTL_MS, now });
  const stale = new Cache<{ limit: number | null }>({ max: CACHED, ttlMs: STALE_MS, now });
  const read = async (tenantId: string): Promise<number | null> => {
    const { limits } = await context.call('auth.entitlements', {}, { asServiceOf: tenantId });
    stale.set(tenantId, { limit: limits.concurrent_executions });
    return limits.concurrent_executions;
  };
  return async (tenantId) => {
    try {
      return await fresh.get(tenantId, () => read(tenantId));
    } catch (fault) {
      const known = stale.get(tenantId);
      if (known === undefined) throw fault;
      context.log.warn(`The limits of tenant ${tenantId} cannot be read, the last ones count: ${errorMessage(fault)}`);
      return known.limit;
    }
  };
}
