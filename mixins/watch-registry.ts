/** How long a subscription of a node lasts without renewal. */
export const WATCH_MS = 30_000;
const SWEEP_AT_LEAST = 1_000;
/** Subscriptions to more runs than this are ignored; their nodes poll. */
const MAX_WATCHED = 100_000;

/** Which nodes subscribe to what: runs, or tenants. Only they are notified. */
export class WatchRegistry {
  readonly #until = new Map<string, Map<string, number>>();
  /** Size at which expired entries are removed: twice the size after the last removal, which amortizes its cost. */
  #sweepAt = SWEEP_AT_LEAST;

  constructor(private readonly now: () => number) {}

  watch(id: string, node: string): void {
    if (this.#until.size >= this.#sweepAt) this.#sweep();
    if (this.#until.size >= MAX_WATCHED) return;
    const nodes = this.#until.get(id) ?? new Map<string, number>();
    this.#until.set(id, nodes.set(node, this.now() + WATCH_MS));
  }

  nodes(id: string): readonly string[] {
    if (this.#until.size === 0) return [];
    const nodes = this.#until.get(id);
    if (nodes === undefined) return [];
    const now = this.now();
    return [...nodes].filter(([, until]) => until >= now).map(([node]) => node);
  }

  #sweep(): void {
    const now = this.now();
    for (const [id, nodes] of this.#until) {
      for (const [node, until] of nodes) if (until < now) nodes.delete(node);
      if (nodes.size === 0) this.#until.delete(id);
    }
    this.#sweepAt = Math.max(SWEEP_AT_LEAST, 2 * this.#until.size);
  }
}
