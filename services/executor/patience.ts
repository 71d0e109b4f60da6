import type { Clock } from '../../lib/clock';

/** For how long a process that stops lets callers wait in it. One listener for all of them: they are many. */
export class Patience {
  readonly #waiting = new Set<() => void>();
  #over = false;

  /** Ends `graceMs` after the signal has aborted. */
  constructor(stopping: AbortSignal, clock: Clock, graceMs: number) {
    const arm = (): void => {
      if (graceMs > 0) clock.after(graceMs, () => this.#end());
      else this.#end();
    };
    if (stopping.aborted) arm();
    else stopping.addEventListener('abort', arm, { once: true });
  }

  get over(): boolean {
    return this.#over;
  }

  /** Calls `letGo` when it ends; the answer takes that back. */
  wait(letGo: () => void): () => void {
    this.#waiting.add(letGo);
    return () => this.#waiting.delete(letGo);
  }

  #end(): void {
    this.#over = true;
    for (const letGo of [...this.#waiting]) letGo();
  }
}
