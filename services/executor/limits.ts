import { errorMessage } from '../../lib/errors';
import { ReadThrough } from '../../lib/read-through';
import { Cache } from '../../lib/cache';
import type { Limits } from '../../lib/plans';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';

/** A change of the plan counts within this time, on every host. */
const TTL_MS = 5_000;
/** For how long an old answer does while nobody gives a new one. */
const STALE_MS = 3_600_000;
const CACHED = 20_000;

type Context = Pick<ServiceContext, 'call' | 'log'>;

/** What the plans of tenants allow, as this process knows it. */
export class TenantLimits {
  readonly #fresh: ReadThrough<Limits>;
  readonly #stale: Cache<Limits>;
  readonly #allowances: ReadThrough<number>;

  constructor({ clock }: Pick<App, 'clock'>) {
    const now = (): number => clock.now();
    this.#fresh = new ReadThrough({ max: CACHED, ttlMs: TTL_MS, now });
    this.#stale = new Cache({ max: CACHED, ttlMs: STALE_MS, now });
    this.#allowances = new ReadThrough({ max: CACHED, ttlMs: TTL_MS, now });
  }

  /** The limits of the tenant's plan; while nobody gives them, the last ones. */
  async of(context: Context, tenantId: string): Promise<Limits> {
    try {
      return await this.#fresh.get(tenantId, async () => {
        const { limits } = await context.call('auth.entitlements', {}, { asServiceOf: tenantId });
        this.#stale.set(tenantId, limits);
        return limits;
      });
    } catch (fault) {
      const known = this.#stale.get(tenantId);
      if (known === undefined) throw fault;
      context.log.warn(`The limits of tenant ${tenantId} cannot be read, the last ones count: ${errorMessage(fault)}`);
      return known;
    }
  }

  /** Executions a month that the plan before still allows, for a while after it became a lower one; 0 for none. */
  allowance({ call }: Pick<Context, 'call'>, tenantId: string): Promise<number> {
    return this.#allowances.get(tenantId, async () => {
      const { executions_per_month: most } = await call('billing.allowance', {}, { asServiceOf: tenantId });
      return most ?? Number.POSITIVE_INFINITY;
    });
  }
}
