/**
 * A bounded map of recent answers, each good for a time. Oldest entries leave first, and what is too old does not stay
 * until its place is needed: it may be large, or secret.
 */
export class Cache<V> {
  readonly #entries = new Map<string, { value: V; until: number }>();

  constructor(private readonly options: { readonly max: number; readonly ttlMs: number; readonly now: () => number }) {}

  get size(): number {
    return this.#entries.size;
  }

  /** The value, or undefined when absent or too old. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > this.options.now() ? entry.value : undefined;
  }

  set(key: string, value: V): void {
    const now = this.options.now();
    this.#entries.delete(key);
    // All are good for the same time, so the map's order is the order in which they grow too old.
    for (const [oldest, { until }] of this.#entries) {
      if (until > now && this.#entries.size < this.options.max) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, until: now + this.options.ttlMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
