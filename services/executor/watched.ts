const WATCH_MS = 30_000;
const SWEEP_AT_LEAST = 1_000;

/** Runs whose stream somebody has asked for lately; only they are told about. */
export class Watched {
  readonly #until = new Map<string, number>();
  /** Twice what the last sweep has left, so that the cost of sweeping does not grow with what is watched. */
  #sweepAt = SWEEP_AT_LEAST;

  constructor(private readonly now: () => number) {}

  watch(id: string): void {
    const now = this.now();
    if (this.#until.size >= this.#sweepAt) {
      for (const [other, until] of this.#until) if (until < now) this.#until.delete(other);
      this.#sweepAt = Math.max(SWEEP_AT_LEAST, 2 * this.#until.size);
    }
    this.#until.set(id, now + WATCH_MS);
  }

  has(id: string): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(id);
    return until !== undefined && until >= this.now();
  }
}
