import { LRUCache } from 'lru-cache';

/** Recently used values by key. */
export type Cache<V extends {}> = LRUCache<string, V>;

interface CacheBounds {
  /** Maximum number of values. */
  readonly max?: number;
  /** Maximum total size. Each `set` passes the `size` of its value; a value larger than the maximum is not cached. */
  readonly maxSize?: number;
}

interface CacheLifetime {
  /** Age at which a value expires. */
  readonly ttlMs: number;
  readonly now: () => number;
}

export type CacheOptions = CacheBounds & (CacheLifetime | { readonly ttlMs?: never });

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A bounded LRU cache. Expired values are freed at once, as they may be large or secret. */
export const createCache = <V extends {}>(options: CacheOptions): Cache<V> =>
  new LRUCache<string, V>({ ...boundsOf(options), ...lifetimeOf(options) });

/**
 * A cache of groups that are dropped together, such as those of a tenant: `memo` returns the group, created if absent.
 */
export const createGroupCache = <V>(options: CacheOptions): Cache<Map<string, V>> =>
  new LRUCache<string, Map<string, V>>({
    ...boundsOf(options),
    ...lifetimeOf(options),
    memoMethod: () => new Map(),
  });

/** Uses sizes also for a number of values: with `max`, the package would allocate all slots at once. */
const boundsOf = ({ max, maxSize }: CacheBounds) =>
  max === undefined ? { maxSize: maxSize ?? 0 } : { maxSize: max, sizeCalculation: () => 1 };

/**
 * The package expires values older than `ttl`; here they expire at `ttl`. It treats an age or start of 0 as "never
 * expires", so times begin at 1, and milliseconds are doubled to express a lifetime of one.
 */
function lifetimeOf(options: CacheOptions) {
  if (options.ttlMs === undefined) return {};
  const { ttlMs, now } = options;
  const unitsPerMs = ttlMs === 1 ? 2 : 1;
  return {
    ttl: ttlMs * unitsPerMs - 1,
    // Without it, the package would read its own clock once per millisecond.
    ttlResolution: 0,
    ttlAutopurge: ttlMs <= MAX_TIMEOUT_MS,
    perf: { now: () => now() * unitsPerMs + 1 },
  };
}
