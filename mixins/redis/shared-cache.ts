import { type SharedState, TOMBSTONE_MS } from './shared-state';

/** What a shared cache holds, and for how long. */
export interface SharedCacheOptions<V> {
  readonly state: SharedState | null;
  /** What its keys begin with. */
  readonly name: string;
  readonly ttlMs: number;
  /** Characters of the longest text that is shared. */
  readonly longest: number;
  readonly now: () => number;
  /** The value that a text from Redis stands for; null for anything else, which counts as absent: others may write there. */
  readonly parse: (value: unknown, key: string) => V | null;
}

/**
 * Answers that processes share by Redis; stands behind a cache in memory, and without Redis it only reads.
 *
 * After `forget` nobody is given an older answer, and nobody can put one back: the key is retired for longer than a
 * read may take. When Redis does not hear of a change, old answers may be given until their time is up, which counts
 * from the moment when they were read.
 */
export class SharedCache<V> {
  constructor(private readonly options: SharedCacheOptions<V>) {}

  /** The shared answer, else what `read` gives; null stands for nothing and is not shared. */
  async get<R extends V | null>(key: string, read: () => Promise<R>): Promise<V | R> {
    const { state, name, now } = this.options;
    if (state === null) return read();
    const known = this.#parsed(key, await state.read(`${name}:${key}`));
    if (known !== null) return known;
    const began = now();
    const value = await read();
    // Half of the time, so that the way to Redis has the other half.
    if (value !== null && now() - began < TOMBSTONE_MS / 2) this.#share(key, value, began);
    return value;
  }

  /** Resolves when no other process can be given the old answer any more, or Redis cannot be told. */
  async forget(key: string): Promise<void> {
    await this.options.state?.retire(`${this.options.name}:${key}`);
  }

  #share(key: string, value: V, readAt: number): void {
    const { state, name, ttlMs, longest } = this.options;
    const text = JSON.stringify(value);
    // Nobody waits for it: it only saves others a read, and never fails.
    if (text.length <= longest) void state?.put(`${name}:${key}`, text, readAt + ttlMs);
  }

  #parsed(key: string, text: string | null): V | null {
    if (text === null) return null;
    try {
      return this.options.parse(JSON.parse(text), key);
    } catch (fault) {
      // No JSON, or nested beyond any depth: not written by us.
      if (fault instanceof SyntaxError || fault instanceof RangeError) return null;
      throw fault;
    }
  }
}
