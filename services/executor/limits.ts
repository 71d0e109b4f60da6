import { errorMessage } from '../../lib/errors';
import { ReadThrough } from '../../lib/read-through';
import { type Cache, createCache } from '../../lib/cache';
import type { Limits } from '../../lib/plans';
import { CACHE_MAX_AGE_MS, REFRESH_AHEAD_MS } from '../../mixins/invalidation';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';

/** Prefix of the patterns of tenants in `cache.stale`; the tenant follows. */
const STALE = 'auth:tenant:';
/** Cache lifetime of the allowance of billing. */
const ALLOWANCE_MS = 5_000;
/** How long a stale value is used while a new one cannot be read. */
const STALE_MS = 3_600_000;
const CACHED = 20_000;

type Context = Pick<ServiceContext, 'call' | 'log'>;

/** What of the entitlements decides about runs. */
interface Entitled {
  readonly limits: Limits;
  readonly suspended: boolean;
}

/** Cached plan limits of tenants, and whether they are suspended. */
export class TenantLimits {
  readonly #fresh: ReadThrough<Entitled>;
  readonly #stale: Cache<Entitled>;
  readonly #allowances: ReadThrough<number>;

  constructor({ clock }: Pick<App, 'clock'>) {
    const now = (): number => clock.now();
    this.#fresh = new ReadThrough({ max: CACHED, ttlMs: CACHE_MAX_AGE_MS, refreshAheadMs: REFRESH_AHEAD_MS, now });
    this.#stale = createCache({ max: CACHED, ttlMs: STALE_MS, now });
    this.#allowances = new ReadThrough({ max: CACHED, ttlMs: ALLOWANCE_MS, now });
  }

  /** How many runs of the tenant may be in memory: none while it is suspended. Null: any number. */
  async concurrency(context: Context, tenantId: string): Promise<number | null> {
    const { limits, suspended } = await this.of(context, tenantId);
    return suspended ? 0 : limits.concurrent_executions;
  }

  /** The limits of the tenant's plan; while they cannot be read, the last known ones. */
  async of(context: Context, tenantId: string): Promise<Entitled> {
    try {
      return await this.#fresh.get(tenantId, async () => {
        const entitled = await context.call('auth.entitlements', {}, { asServiceOf: tenantId });
        this.#stale.set(tenantId, entitled);
        return entitled;
      });
    } catch (fault) {
      const known = this.#stale.get(tenantId);
      if (known === undefined) throw fault;
      context.log.warn(`Limits of tenant ${tenantId} not readable; using the last known ones: ${errorMessage(fault)}`);
      return known;
    }
  }

  /** Drops the cached values that match a pattern. */
  forget(pattern: string): void {
    if (!pattern.startsWith(STALE)) return;
    const tenantId = pattern.slice(STALE.length);
    this.#fresh.delete(tenantId);
    this.#allowances.delete(tenantId);
  }

  /** Executions per month of the previous plan during the grace period after a downgrade; 0 without one. */
  allowance({ call }: Pick<Context, 'call'>, tenantId: string): Promise<number> {
    return this.#allowances.get(tenantId, async () => {
      const { executions_per_month: most } = await call('billing.allowance', {}, { asServiceOf: tenantId });
      return most ?? Number.POSITIVE_INFINITY;
    });
  }
}
