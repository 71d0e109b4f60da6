/** While writes arrive concurrently, a batch waits this long for as many items as the last one had. */
const MAX_GATHER_MS = 1;
/** After this time without a write, the size of the last batch predicts nothing. */
const RECENT_MS = 5;

/**
 * Groups concurrent writes into one database command. While a write is in flight the next batch accumulates; an idle
 * writer adds no delay, nor does one whose writes come one after the other. Owns: the batches. Does not own: the
 * meaning of a write.
 *
 *  G1  Items are written in the order they were added.
 *  G2  Every item is settled exactly once: by its own result, or by the error of its batch.
 *  G3  At most one batch is in flight, limited in items and characters: it is encoded on the main thread.
 */
export class GroupCommit<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #busy = false;
  /** Size of the last batch, and when it was written. */
  #last = { size: 0, at: 0 };
  /** Ends the wait for further items once there are `size`. */
  #gathering: { readonly size: number; readonly end: () => void } | null = null;

  constructor(
    private readonly write: (items: Item[]) => Promise<Result[]>,
    private readonly limits: { readonly maxItems: number; readonly maxChars: number } = BATCH,
    private readonly charsOf: (item: Item) => number = () => 0,
  ) {}

  /** Resolves when the item's batch has been written. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#gathering !== null && this.#waiting.length >= this.#gathering.size) this.#gathering.end();
      if (!this.#busy) {
        this.#busy = true;
        // In the next tick, so that actors that finish in the same tick share the first batch.
        setImmediate(() => void this.#drain());
      }
    });
  }

  /** Number of waiting items in the next batch; at least one, whatever its size. */
  #fitting(): number {
    const limit = Math.min(this.#waiting.length, this.limits.maxItems);
    let count = 0;
    for (let chars = 0; count < limit; count++) {
      chars += this.charsOf((this.#waiting[count] as Waiting<Item, Result>).item);
      if (count > 0 && chars > this.limits.maxChars) break;
    }
    return count;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const size = performance.now() - this.#last.at > RECENT_MS ? 0 : this.#last.size;
      if (this.#waiting.length < size) await this.#gather(size);
      const batch = this.#waiting.splice(0, this.#fitting());
      try {
        const results = await this.write(batch.map((entry) => entry.item));
        batch.forEach((entry, index) => entry.resolve(results[index] as Result));
      } catch (fault) {
        for (const entry of batch) entry.reject(fault);
      }
      this.#last = { size: batch.length, at: performance.now() };
    }
    this.#busy = false;
  }

  #gather(size: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#gathering = null;
        resolve();
      };
      const timer = setTimeout(end, MAX_GATHER_MS);
      this.#gathering = { size, end };
    });
  }
}

/** Limits of one database command. */
export const BATCH = { maxItems: 500, maxChars: 2 * 1024 * 1024 };

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (fault: unknown) => void;
}
