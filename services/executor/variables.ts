import type { Json, JsonObject } from '../../lib/json';
import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS, REFRESH_AHEAD_MS } from '../../mixins/invalidation';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';

/** Tenants; each may have a mebibyte of them. */
const CACHED = 100;
/** What the keys of variables begin with, in `cache.stale`; then the tenant. */
const STALE = 'workflows.variables:';

/** The constants of tenants as their runs see them. */
export class Variables {
  readonly #known: ReadThrough<JsonObject>;

  constructor({ clock }: Pick<App, 'clock'>) {
    this.#known = new ReadThrough({
      max: CACHED,
      ttlMs: CACHE_MAX_AGE_MS,
      refreshAheadMs: REFRESH_AHEAD_MS,
      now: () => clock.now(),
    });
  }

  /** By name. All runs of the tenant share the answer, so nothing can change it. */
  of({ call }: Pick<ServiceContext, 'call'>, tenantId: string): Promise<JsonObject> {
    return this.#known.get(tenantId, async () =>
      frozen(await call('workflows.variable_values', {}, { asServiceOf: tenantId })),
    );
  }

  /** Drops what a pattern says is stale. */
  forget(pattern: string): void {
    if (pattern.startsWith(STALE)) this.#known.delete(pattern.slice(STALE.length));
  }
}

/** The value, which cannot be changed any more at any depth. */
function frozen<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
