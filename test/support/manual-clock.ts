import type { Clock } from '../../lib/clock';

/** A clock that a test moves. It begins at a fixed instant, and timers fire only while it is moved. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { due: number; fire: () => void }[] = [];

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, fire: () => void): () => void {
    const timer = { due: this.#now + Math.max(delayMs, 0), fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves time forward, and fires what falls due, earliest first, each at its own instant. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.due);
      next.fire();
    }
    this.#now = end;
  }
}
