/**
 * A map of answers whose sizes together stay below a bound, each good for a time. Those that nobody has asked for longest
 * leave first; one that is larger than the bound by itself is not kept at all.
 */
export class SizedCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly size: number; readonly until: number }>();
  #size = 0;

  /** `most`: the bound, in whatever the sizes are given in. */
  constructor(
    private readonly options: { readonly most: number; readonly ttlMs: number; readonly now: () => number },
  ) {}

  /** What all entries have together. */
  get size(): number {
    return this.#size;
  }

  /** The value, or undefined when absent or too old. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.delete(key);
    if (entry.until <= this.options.now()) return undefined;
    this.#add(key, entry);
    return entry.value;
  }

  set(key: string, value: V, size: number): void {
    this.delete(key);
    if (size > this.options.most) return;
    this.#add(key, { value, size, until: this.options.now() + this.options.ttlMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.options.most) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  #add(key: string, entry: { value: V; size: number; until: number }): void {
    this.#entries.set(key, entry);
    this.#size += entry.size;
  }
}
