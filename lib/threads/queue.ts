/** A queued item with its lane. */
interface Waiting {
  readonly lane: string;
}

/** A queue with one lane per owner. Lanes are served in turn, so a busy lane delays only itself. */
export class FairQueue<T extends Waiting> {
  /** Non-empty lanes, the next one first. */
  readonly #lanes = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(lane: string): number {
    return this.#lanes.get(lane)?.length ?? 0;
  }

  push(item: T): void {
    const lane = this.#lanes.get(item.lane);
    if (lane === undefined) this.#lanes.set(item.lane, [item]);
    else lane.push(item);
    this.#size += 1;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (const items of this.#lanes.values()) yield* items;
  }

  /** Removes the oldest item of the next eligible lane. */
  shift(mayHaveTurn: (lane: string) => boolean): T | undefined {
    for (const [lane, items] of this.#lanes) {
      if (!mayHaveTurn(lane)) continue;
      const item = items.shift();
      this.#size -= 1;
      this.#lanes.delete(lane);
      if (items.length > 0) this.#lanes.set(lane, items);
      return item;
    }
    return undefined;
  }

  /** Removes an item; false when it is not queued. */
  remove(item: T): boolean {
    const items = this.#lanes.get(item.lane);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return false;
    items.splice(at, 1);
    this.#size -= 1;
    if (items.length === 0) this.#lanes.delete(item.lane);
    return true;
  }
}
