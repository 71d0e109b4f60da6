import { type Cache, type CacheOptions, createCache } from './cache';

type ReadThroughOptions = CacheOptions & {
  /** A value that is used within this time before it expires is read again beside its use, so that no caller waits. */
  readonly refreshAheadMs?: number;
};

/**
 * A read-through cache. Concurrent callers of a key share one read. A `delete` during a read keeps its result out of
 * the cache, as it may predate the change.
 */
export class ReadThrough<V> {
  readonly #cache: Cache<{ readonly value: V }>;
  readonly #reading = new Map<string, Promise<V>>();

  readonly #refreshAheadMs: number;

  constructor({ refreshAheadMs = 0, ...options }: ReadThroughOptions) {
    this.#refreshAheadMs = refreshAheadMs;
    this.#cache = createCache(options);
  }

  /** The cached value, or the result of `read`. A failed read rejects for all its callers and is not cached. */
  get(key: string, read: () => Promise<V>): Promise<V> {
    const known = this.#cache.get(key);
    if (known === undefined) return this.#reading.get(key) ?? this.#read(key, read);
    // When this read fails, the value expires, and its next caller reads again and gets the error.
    if (this.#expiresSoon(key) && !this.#reading.has(key)) this.#read(key, read).catch(() => {});
    return Promise.resolve(known.value);
  }

  #expiresSoon(key: string): boolean {
    return this.#refreshAheadMs > 0 && this.#cache.getRemainingTTL(key) < this.#refreshAheadMs;
  }

  delete(key: string): void {
    this.#cache.delete(key);
    this.#reading.delete(key);
  }

  /** Deletes every key. */
  clear(): void {
    this.#cache.clear();
    this.#reading.clear();
  }

  #read(key: string, read: () => Promise<V>): Promise<V> {
    const reading: Promise<V> = read().then(
      (value) => {
        if (this.#settle(key, reading)) this.#cache.set(key, { value });
        return value;
      },
      (error: unknown) => {
        this.#settle(key, reading);
        throw error;
      },
    );
    this.#reading.set(key, reading);
    return reading;
  }

  /** Ends a read; false when a `delete` has discarded it meanwhile. */
  #settle(key: string, reading: Promise<V>): boolean {
    return this.#reading.get(key) === reading && this.#reading.delete(key);
  }
}
