/**
 * Polls the database. Owns: when the next poll is due. Does not own: what is polled.
 *
 *  O1  A poll follows every `poke`, at once or after the current one, and at the latest an interval after the last.
 *  O2  One poll at a time.
 */
import type { Clock } from '../../lib/clock';

interface PollerDeps {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly poll: () => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

export class Poller {
  #polling: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #nextAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(private readonly deps: PollerDeps) {}

  /** The current poll; null when there is none. */
  get polling(): Promise<void> | null {
    return this.#polling;
  }

  /** Polls now, with another function if given; during a poll, another one follows it. */
  poke(poll = this.deps.poll): void {
    if (this.#stopped) return;
    if (this.#polling !== null) {
      this.#again = true;
      return;
    }
    this.pollWithin(this.deps.intervalMs);
    this.#polling = poll()
      .catch(this.deps.onFault)
      .finally(() => {
        this.#polling = null;
        if (!this.#again) return;
        this.#again = false;
        this.poke();
      });
  }

  /** Polls no later than after `delayMs`; a delay longer than the interval needs no timer. */
  pollWithin(delayMs: number): void {
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
