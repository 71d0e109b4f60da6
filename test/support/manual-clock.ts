import type { Clock } from '../../lib/clock';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that the test advances; timers fire in the order of their times. */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, fire: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMs), order: this.#order++, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Advances to the next timer and fires it; false when there is none. */
  step(): boolean {
    const [next] = [...this.#timers].sort((a, b) => a.at - b.at || a.order - b.order);
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.fire();
    return true;
  }

  /** Advances by that time, and fires all timers due until then, each at its own instant. */
  advance(ms: number): void {
    const end = this.#now + ms;
    while ([...this.#timers].some((timer) => timer.at <= end)) this.step();
    this.#now = end;
  }

  get pending(): number {
    return this.#timers.size;
  }
}

/** Runs everything that is ready: promises, and callbacks that they queue. */
export async function settle(turns = 4): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Advances from timer to timer until the condition holds. @throws Error when it does not hold after `steps` timers */
export async function until(
  clock: ManualClock,
  condition: () => boolean | Promise<boolean>,
  steps = 5_000,
): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await settle();
    if (await condition()) return;
    if (!clock.step()) throw new Error('Nothing is left to happen, and the condition does not hold');
  }
  throw new Error(`The condition does not hold after ${steps} timers`);
}
