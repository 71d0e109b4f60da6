/** A mutex per key: calls with the same key run one after another, in call order. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #counts = new Map<string, number>();

  /** Number of running and waiting calls of a key. */
  countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    this.#counts.set(key, this.countOf(key) + 1);
    try {
      return await mine;
    } finally {
      if (this.countOf(key) > 1) this.#counts.set(key, this.countOf(key) - 1);
      else this.#counts.delete(key);
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
