const WATCH_MS = 30_000;
const SWEEP_AT_LEAST = 1_000;
/** A node that waits for more than this looks for itself. */
const MOST = 100_000;

/** Which nodes want to hear of which runs; nobody else is told. */
export class Watched {
  readonly #until = new Map<string, Map<string, number>>();
  /** Twice what the last sweep has left, so that the cost of sweeping does not grow with what is watched. */
  #sweepAt = SWEEP_AT_LEAST;

  constructor(private readonly now: () => number) {}

  watch(id: string, node: string): void {
    if (this.#until.size >= this.#sweepAt) this.#sweep();
    if (this.#until.size >= MOST) return;
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
