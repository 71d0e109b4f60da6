/** The place of a value in a map; empty once the value was deleted. */
interface Cell<V> {
  value: V | null;
}

/**
 * A map of values that are deleted soon after they were set, such as the requests in progress.
 *
 * V8 moves a `Map` that sees many insertions and deletions into a new table again and again. The old table keeps its
 * entries and points to the new one, so an old table that has been promoted keeps all later tables alive, with the
 * values that they held, until a full collection (docs/decisions/released-map-entries.md). Here the tables hold cells
 * that are emptied.
 */
export class ShortLivedMap<K, V extends {}> {
  readonly #cells = new Map<K, Cell<V>>();

  get size(): number {
    return this.#cells.size;
  }

  get(key: K): V | undefined {
    return this.#cells.get(key)?.value ?? undefined;
  }

  has(key: K): boolean {
    return this.#cells.has(key);
  }

  set(key: K, value: V): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, { value });
    else cell.value = value;
  }

  delete(key: K): boolean {
    const cell = this.#cells.get(key);
    if (cell !== undefined) cell.value = null;
    return this.#cells.delete(key);
  }

  *values(): IterableIterator<V> {
    for (const { value } of this.#cells.values()) if (value !== null) yield value;
  }
}
