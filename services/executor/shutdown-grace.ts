import type { Clock } from '../../lib/clock';

/** How long callers may keep waiting after shutdown starts. All share one abort listener, as there may be many. */
export class ShutdownGrace {
  readonly #waiting = new Set<() => void>();
  #over = false;

  /** Ends `graceMs` after the signal has aborted. */
  constructor(stopping: AbortSignal, clock: Clock, graceMs: number) {
    const arm = (): void => {
      if (graceMs > 0) clock.after(graceMs, () => this.end());
      else this.end();
    };
    if (stopping.aborted) arm();
    else stopping.addEventListener('abort', arm, { once: true });
  }

  get over(): boolean {
    return this.#over;
  }

  /** Calls `letGo` when the grace period ends. Returns a function that unregisters it. */
  wait(letGo: () => void): () => void {
    this.#waiting.add(letGo);
    return () => this.#waiting.delete(letGo);
  }

  end(): void {
    this.#over = true;
    for (const letGo of [...this.#waiting]) letGo();
  }
}
