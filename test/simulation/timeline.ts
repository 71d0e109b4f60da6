/**
 * Virtual time. Owns: the order of events. Two runs of the same program have the same history: events come in the
 * order of their times, then of their creation, each after all promises of the event before it are settled.
 */

/** A scheduled event. */
export interface Moment {
  readonly at: number;
  readonly order: number;
  /** Null once it has happened or was cancelled. */
  fire: (() => void) | null;
}

/** Node runs ticks when no promise is left to run; unlike macrotasks they cost next to nothing. */
const rest = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

export class Timeline {
  #now: number;
  #order = 0;
  readonly #heap: Moment[] = [];

  constructor(begin: number) {
    this.#now = begin;
  }

  get now(): number {
    return this.#now;
  }

  /** Schedules an event at an instant, or at once when that is past. */
  at(at: number, fire: () => void): Moment {
    const moment: Moment = { at: Math.max(at, this.#now), order: this.#order++, fire };
    this.#rise(moment);
    return moment;
  }

  after(delayMs: number, fire: () => void): Moment {
    return this.at(this.#now + delayMs, fire);
  }

  /** Advances the time to the instant. */
  async play(until: number): Promise<void> {
    // From here on in a promise's turn, so that a tick comes after all of them.
    await rest();
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      this.#sink();
      const { fire } = next;
      if (fire === null) continue;
      next.fire = null;
      this.#now = next.at;
      fire();
      await rest();
    }
    this.#now = Math.max(this.#now, until);
  }

  #rise(moment: Moment): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] as Moment;
      if (!isBefore(moment, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = moment;
  }

  /** Removes the first event. */
  #sink(): void {
    const heap = this.#heap;
    const last = heap.pop() as Moment;
    if (heap.length === 0) return;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, heap[below] as Moment)) below += 1;
      if (!isBefore(heap[below] as Moment, last)) break;
      heap[at] = heap[below] as Moment;
      at = below;
    }
    heap[at] = last;
  }
}

const isBefore = (a: Moment, b: Moment): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
