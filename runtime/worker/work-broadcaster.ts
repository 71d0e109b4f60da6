import type { Clock } from '../../lib/clock';

/** Many runs released at the same moment need one hint, not one each. */
const MIN_INTERVAL_MS = 20;

/** Broadcasts that there is work: at once, and once more for whatever follows within the interval. */
export class WorkBroadcaster {
  #quietUntil = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly send: () => void,
  ) {}

  broadcast(): void {
    if (this.#cancel !== null) return;
    const left = this.#quietUntil - this.clock.now();
    if (left <= 0) this.#send();
    else this.#cancel = this.clock.after(left, () => this.#send());
  }

  /** Sends a pending broadcast now. */
  close(): void {
    if (this.#cancel !== null) this.#send();
  }

  #send(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#quietUntil = this.clock.now() + MIN_INTERVAL_MS;
    this.send();
  }
}
