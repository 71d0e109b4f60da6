interface Asker<V> {
  readonly resolve: (value: V | undefined) => void;
  readonly reject: (fault: unknown) => void;
}

/** Reads by key. What is asked for within one turn of the event loop is read together. */
export class Gathered<V> {
  #askers = new Map<string, Asker<V>[]>();

  /** `read`: what there is of some keys; at most `most` at a time. */
  constructor(
    private readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
    private readonly most: number,
  ) {}

  /** Undefined where there is nothing. Rejects with what `read` does. */
  get(key: string): Promise<V | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#askers.size === 0) setImmediate(() => this.#flush());
      this.#askers.set(key, [...(this.#askers.get(key) ?? []), { resolve, reject }]);
    });
  }

  #flush(): void {
    const all = [...this.#askers];
    this.#askers = new Map();
    for (let from = 0; from < all.length; from += this.most) {
      const batch = new Map(all.slice(from, from + this.most));
      void this.read([...batch.keys()]).then(
        (found) => settle(batch, (asker, key) => asker.resolve(found.get(key))),
        (fault: unknown) => settle(batch, (asker) => asker.reject(fault)),
      );
    }
  }
}

function settle<V>(
  batch: ReadonlyMap<string, readonly Asker<V>[]>,
  tell: (asker: Asker<V>, key: string) => void,
): void {
  for (const [key, askers] of batch) for (const asker of askers) tell(asker, key);
}
