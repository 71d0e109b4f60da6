/** A bounded map of recent answers, each good for a time. Oldest entries leave first. */
export class Cache<V> {
  readonly #entries = new Map<string, { value: V; until: number }>();

  constructor(private readonly options: { readonly max: number; readonly ttlMs: number; readonly now: () => number }) {}

  /** The value, or undefined when absent or too old. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > this.options.now() ? entry.value : undefined;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.options.max) this.#entries.delete(this.#entries.keys().next().value as string);
    this.#entries.set(key, { value, until: this.options.now() + this.options.ttlMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
