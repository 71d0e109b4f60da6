import type { Month } from '../../../lib/month';

/** A start that has been counted; told once whether the run is stored now. */
export interface Place {
  /** When the run begins, epoch milliseconds: what it is counted by. */
  readonly at: number;
  settle(stored: boolean): void;
}

/** Starts of one second by this process. */
interface Second {
  taken: number;
  /** Of those, how many may not be stored yet. */
  pending: number;
}

/** A reading is good for this long while there is much left, and for this long when there is not. */
const FAR_MS = 30_000;
const NEAR_MS = 1_000;
/** It is near when this process alone has used up such a part of what was left. */
const NEAR_PART = 10;

const secondOf = (ms: number): number => Math.floor(ms / 1_000);

/**
 * What a tenant has used in a month, as one process knows it: a reading of the records up to the beginning of a second
 * before which all starts of this process are settled, and its own starts since. So no run is counted twice, and where
 * no other process starts runs, the figure is exact.
 */
export class Meter {
  #base = 0;
  #since: number;
  #own = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;
  readonly #seconds = new Map<number, Second>();

  constructor(
    readonly month: Month,
    /** How many runs are on record as of an instant. */
    private readonly count: (until: number) => Promise<number>,
  ) {
    this.#since = secondOf(month.start);
  }

  get used(): number {
    return this.#base + this.#own;
  }

  /** Nobody has a place whose end is open. */
  get idle(): boolean {
    return [...this.#seconds.values()].every(({ pending }) => pending === 0);
  }

  /** Whether the reading is too old to go by: at a limit, by which something is to be refused, a second is too old. */
  stale(now: number, limit: number): boolean {
    const near = this.#own * NEAR_PART >= limit - this.#base;
    return now - this.#readAt >= (near ? NEAR_MS : FAR_MS);
  }

  get read(): boolean {
    return this.#readAt !== Number.NEGATIVE_INFINITY;
  }

  /** Reads the records anew. Whoever asks meanwhile waits for the same reading. */
  refresh(now: number): Promise<void> {
    this.#reading ??= this.#refresh(now).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  take(at: number): Place {
    const key = secondOf(at);
    const second = this.#seconds.get(key) ?? { taken: 0, pending: 0 };
    this.#seconds.set(key, second);
    second.taken += 1;
    second.pending += 1;
    this.#own += 1;
    let settled = false;
    return {
      at,
      settle: (stored) => {
        if (settled) return;
        settled = true;
        second.pending -= 1;
        if (stored) return;
        second.taken -= 1;
        // A reading may have passed the second meanwhile only if nothing was pending in it.
        this.#own -= 1;
      },
    };
  }

  async #refresh(now: number): Promise<void> {
    const until = this.#settledUntil(now);
    const counted = await this.count(until * 1_000);
    this.#base = counted;
    this.#since = until;
    for (const key of this.#seconds.keys()) if (key < until) this.#seconds.delete(key);
    this.#own = [...this.#seconds.values()].reduce((sum, { taken }) => sum + taken, 0);
    this.#readAt = now;
  }

  /** The first second in which a start of this process may not be stored yet. */
  #settledUntil(now: number): number {
    const open = [...this.#seconds].flatMap(([key, { pending }]) => (pending > 0 ? [key] : []));
    return Math.max(this.#since, Math.min(secondOf(now), ...open));
  }
}
