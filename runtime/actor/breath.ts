/** Attempts that begin without a pause: what else the process has to do waits for some milliseconds at most. */
const AT_ONCE = 64;

/**
 * Lets others have their turn. Steps that wait for nothing follow each other without end in a long loop, and timers,
 * leases among them, would stand still meanwhile. Counted, not timed: what happens does not depend on the machine.
 */
export class Breath {
  #left = AT_ONCE;
  #turn: Promise<void> | null = null;

  /** `afterOthers` calls back when the rest of the process has had its turn. */
  constructor(private readonly afterOthers: (goOn: () => void) => void = setImmediate) {}

  /** Null while whoever asks may go on at once. */
  take(): Promise<void> | null {
    this.#turn ??= new Promise((resolve) =>
      this.afterOthers(() => {
        this.#left = AT_ONCE;
        this.#turn = null;
        resolve();
      }),
    );
    if (this.#left === 0) return this.#turn;
    this.#left -= 1;
    return null;
  }
}
