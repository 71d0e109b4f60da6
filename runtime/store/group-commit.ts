/**
 * Shares one database write among whoever wants to write at the moment. While a write is in flight the next batch
 * gathers; when idle nothing is delayed. Owns the gathering; does not own what a write means.
 *
 *  G1  Items are written in the order they came in.
 *  G2  Every item is settled exactly once: by its own result, or by the fault of its batch.
 *  G3  At most one batch is in flight.
 */
export class GroupCommit<Item, Result> {
  #waiting: { item: Item; resolve: (result: Result) => void; reject: (fault: unknown) => void }[] = [];
  #busy = false;

  constructor(
    private readonly write: (items: Item[]) => Promise<Result[]>,
    private readonly limits: { readonly maxItems: number } = { maxItems: 500 },
  ) {}

  /** Resolves when the item's batch has been written. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#busy) {
        this.#busy = true;
        // One turn later, so that actors which finish in the same turn share the first batch too.
        setImmediate(() => void this.#drain());
      }
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.limits.maxItems);
      try {
        const results = await this.write(batch.map((entry) => entry.item));
        batch.forEach((entry, index) => entry.resolve(results[index] as Result));
      } catch (fault) {
        for (const entry of batch) entry.reject(fault);
      }
    }
    this.#busy = false;
  }
}
