/** Something that waits for its turn, and whose it is. */
export interface Waiting {
  readonly lane: string;
}

/** What waits, in lanes that take turns: a lane with much to do makes only itself wait. */
export class FairQueue<T extends Waiting> {
  /** Lanes with something in them, the one whose turn is next first. */
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

  /** Takes the oldest of the next lane that may have a turn. */
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

  /** Takes one out of its lane; false when it was not there. */
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
