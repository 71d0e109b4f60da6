import type { Clock } from './clock';

export interface RoundsOptions {
  readonly clock: Clock;
  /** From the end of one round to the beginning of the next. */
  readonly everyMs: number;
  /** Long work looks at `stopped` on its way. */
  readonly work: () => Promise<unknown>;
  /** Told what a round ended with; the next one comes all the same. */
  readonly onFault: (fault: unknown) => void;
}

/** Work that is done again and again for as long as a process runs, one round at a time. */
export class Rounds {
  #cancelTimer: (() => void) | null = null;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly options: RoundsOptions) {}

  get stopped(): boolean {
    return this.#stopped;
  }

  start(): void {
    if (this.#stopped) return;
    const { clock, everyMs, work, onFault } = this.options;
    this.#cancelTimer = clock.after(everyMs, () => {
      this.#round = work()
        .then(() => undefined, onFault)
        .then(() => this.start());
    });
  }

  /** Answers when the round under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#round;
  }
}
