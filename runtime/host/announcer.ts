import type { Clock } from '../../lib/clock';

/** Many runs that are given up in the same moment need one hint, not one each. */
const GATHER_MS = 20;

/** Tells other hosts that there is work for them: at once, and once more for whatever comes up right afterwards. */
export class Announcer {
  #quietUntil = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly tell: () => void,
  ) {}

  announce(): void {
    if (this.#cancel !== null) return;
    const left = this.#quietUntil - this.clock.now();
    if (left <= 0) this.#tell();
    else this.#cancel = this.clock.after(left, () => this.#tell());
  }

  /** Tells now what was still to be told. */
  close(): void {
    if (this.#cancel !== null) this.#tell();
  }

  #tell(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#quietUntil = this.clock.now() + GATHER_MS;
    this.tell();
  }
}
