/**
 * Repeats a look at the database. Owns: when the next one is due. Does not own: what is looked for.
 *
 *  O1  A look follows every `poke`, at once or after the one under way, and at the latest an interval after the last.
 *  O2  One look at a time.
 */
import type { Clock } from '../../lib/clock';

export interface PollerDeps {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly look: () => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

export class Poller {
  #looking: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #nextAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(private readonly deps: PollerDeps) {}

  /** The look under way; null when there is none. */
  get looking(): Promise<void> | null {
    return this.#looking;
  }

  /** With a look of the caller's own, which takes the place of the usual one unless one is under way. */
  poke(look = this.deps.look): void {
    if (this.#stopped) return;
    if (this.#looking !== null) {
      this.#again = true;
      return;
    }
    this.within(this.deps.intervalMs);
    this.#looking = look()
      .catch(this.deps.onFault)
      .finally(() => {
        this.#looking = null;
        if (!this.#again) return;
        this.#again = false;
        this.poke();
      });
  }

  /** Looks no later than after `delayMs`; a longer delay than the interval needs no timer of its own. */
  within(delayMs: number): void {
    const at = this.deps.clock.now() + Math.max(0, delayMs);
    if (this.#stopped || delayMs > this.deps.intervalMs || at >= this.#nextAt) return;
    this.#cancel();
    this.#nextAt = at;
    this.#cancel = this.deps.clock.after(delayMs, () => {
      this.#nextAt = Number.POSITIVE_INFINITY;
      this.poke();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}
