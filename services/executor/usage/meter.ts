import type { Month } from '../../../lib/month';

/** A counted start. `settle` is called once, with true when the run is stored. */
export interface StartReservation {
  /** Start of the run in epoch milliseconds, by which it is counted. */
  readonly at: number;
  settle(stored: boolean): void;
}

/** Starts of one second by this process. */
interface Second {
  taken: number;
  /** How many of them may not be stored yet. */
  pending: number;
}

/** How long a reading is valid: `FAR_MS` while much quota is left, `NEAR_MS` otherwise. */
const FAR_MS = 30_000;
const NEAR_MS = 1_000;
/** The limit is near when this process has used this fraction (1/10) of the quota that was left. */
const NEAR_PART = 10;

const secondOf = (ms: number): number => Math.floor(ms / 1_000);

/**
 * Usage of a tenant in a month, as one process knows it: the stored runs up to the start of a second before which all
 * starts of this process are settled, plus its own starts since. No run is counted twice. The value is exact when no
 * other process starts runs.
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
    /** Counts the stored runs that started before an instant. */
    private readonly count: (until: number) => Promise<number>,
  ) {
    this.#since = secondOf(month.start);
  }

  get used(): number {
    return this.#base + this.#own;
  }

  /** True when no start is pending. */
  get idle(): boolean {
    return [...this.#seconds.values()].every(({ pending }) => pending === 0);
  }

  /** True when the reading must be refreshed. Near the limit it is valid for one second. */
  stale(now: number, limit: number): boolean {
    const near = this.#own * NEAR_PART >= limit - this.#base;
    return now - this.#readAt >= (near ? NEAR_MS : FAR_MS);
  }

  get read(): boolean {
    return this.#readAt !== Number.NEGATIVE_INFINITY;
  }

  /** Reads the records again. Concurrent calls share one read. */
  refresh(now: number): Promise<void> {
    this.#reading ??= this.#refresh(now).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  take(at: number): StartReservation {
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
        // A refresh keeps seconds with pending starts, so this start is part of #own.
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
