import { Cache } from './cache';

/**
 * A cache that reads what it lacks. Callers that ask for the same key together share one read, and a `delete` while a
 * read is under way keeps its answer out of the cache: it may have seen the state from before the change.
 */
export class ReadThrough<V> {
  readonly #cache: Cache<{ readonly value: V }>;
  readonly #reading = new Map<string, Promise<V>>();

  constructor(options: { readonly max: number; readonly ttlMs: number; readonly now: () => number }) {
    this.#cache = new Cache(options);
  }

  /** The cached value, else what `read` gives. A failed read is told to everyone who waits, and is not kept. */
  get(key: string, read: () => Promise<V>): Promise<V> {
    const known = this.#cache.get(key);
    if (known !== undefined) return Promise.resolve(known.value);
    return this.#reading.get(key) ?? this.#read(key, read);
  }

  delete(key: string): void {
    this.#cache.delete(key);
    this.#reading.delete(key);
  }

  /** A `delete` of every key. */
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

  /** Ends a read; false when a `delete` has disowned it meanwhile. */
  #settle(key: string, reading: Promise<V>): boolean {
    return this.#reading.get(key) === reading && this.#reading.delete(key);
  }
}
