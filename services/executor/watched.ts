const WATCH_MS = 30_000;
const SWEEP_AT = 1_000;

/** Runs whose stream somebody has asked for lately; only they are told about. */
export class Watched {
  readonly #until = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  watch(id: string): void {
    if (this.#until.size >= SWEEP_AT)
      for (const [other, until] of this.#until) if (until < this.now()) this.#until.delete(other);
    this.#until.set(id, this.now() + WATCH_MS);
  }

  has(id: string): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(id);
    return until !== undefined && until >= this.now();
  }
}
