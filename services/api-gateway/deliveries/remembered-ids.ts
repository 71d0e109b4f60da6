const MOST = 10_000;

/** A bounded set of ids; the one that came first leaves first. */
export class RememberedIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    if (this.#ids.size >= MOST) this.#ids.delete(this.#ids.values().next().value as string);
    this.#ids.add(id);
  }
}
