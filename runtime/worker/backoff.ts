/** First and longest pause before a run that cannot be loaded is tried again; it doubles each time. */
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** Maximum number of remembered runs. */
const MAX_REMEMBERED = 10_000;

/** Retry delays of runs that failed on this host. */
export class Backoff {
  readonly #failures = new Map<string, number>();
  /** Runs left to other hosts, and until when. */
  readonly #leftToOthers = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  /** Counts a failure; returns the pause after it. */
  nextMs(id: string): number {
    const failures = this.#failures.get(id) ?? 0;
    if (this.#failures.size >= MAX_REMEMBERED) this.#failures.clear();
    this.#failures.set(id, failures + 1);
    return Math.min(MIN_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS);
  }

  reset(id: string): void {
    this.#failures.delete(id);
  }

  /** Leaves a run to other hosts for a while. */
  leaveToOthers(id: string, until: number): void {
    if (this.#leftToOthers.size >= MAX_REMEMBERED) this.#leftToOthers.clear();
    this.#leftToOthers.set(id, until);
  }

  isLeftToOthers(id: string): boolean {
    const until = this.#leftToOthers.get(id);
    if (until === undefined) return false;
    if (until > this.now()) return true;
    this.#leftToOthers.delete(id);
    return false;
  }
}
