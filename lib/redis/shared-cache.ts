import { type SharedState, TOMBSTONE_MS } from './shared-state';

/** What a shared cache stores, and for how long. */
interface SharedCacheOptions<V> {
  readonly state: SharedState | null;
  /** Prefix of its keys. */
  readonly name: string;
  readonly ttlMs: number;
  /** Maximum length of a shared value. */
  readonly longest: number;
  readonly now: () => number;
  /** Parses a value from Redis; null for an invalid one, which counts as absent: other programs may write there. */
  readonly parse: (value: unknown, key: string) => V | null;
}

/**
 * A cache shared through Redis, behind an in-memory cache. Without Redis it only reads through.
 *
 * After `forget` no process returns or stores an older value: the key has a tombstone for longer than a read may take.
 * If Redis misses the change, old values may be served until they expire, counted from their read.
 */
export class SharedCache<V> {
  constructor(private readonly options: SharedCacheOptions<V>) {}

  /** The shared value, or the result of `read`; null means absent and is not shared. */
  async get<R extends V | null>(key: string, read: () => Promise<R>): Promise<V | R> {
    const { state, name, now } = this.options;
    if (state === null) return read();
    const known = this.#parsed(key, await state.read(`${name}:${key}`));
    if (known !== null) return known;
    const began = now();
    const value = await read();
    // Half of the time, leaving the other half for the transfer to Redis.
    if (value !== null && now() - began < TOMBSTONE_MS / 2) this.#share(key, value, began);
    return value;
  }

  /** Resolves when no process can return the old value any more, or Redis is unavailable. */
  async forget(key: string): Promise<void> {
    await this.options.state?.retire(`${this.options.name}:${key}`);
  }

  #share(key: string, value: V, readAt: number): void {
    const { state, name, ttlMs, longest } = this.options;
    const text = JSON.stringify(value);
    // Not awaited: it only saves reads, and never fails.
    if (text.length <= longest) void state?.put(`${name}:${key}`, text, readAt + ttlMs);
  }

  #parsed(key: string, text: string | null): V | null {
    if (text === null) return null;
    try {
      return this.options.parse(JSON.parse(text), key);
    } catch (fault) {
      // Invalid JSON: not written by this service.
      if (fault instanceof SyntaxError || fault instanceof RangeError) return null;
      throw fault;
    }
  }
}
