/**
 * What lies behind a window full of due runs. Owns: finding the tenants whose runs cannot be seen for those of others.
 * Does not own: whose turn it is.
 */
import type { Clock } from '../../lib/clock';
import type { Candidate, RunStore } from '../store/port';

/** How many runs of a tenant are looked up at a time. */
const EACH = 8;
/** A search that found nothing new is not repeated sooner. */
const SEARCH_AGAIN_MS = 1_000;

export class Backlog {
  #found: readonly Candidate[] = [];
  /** Where the next search goes on, so that every tenant is reached, however many there are. */
  #last = '';
  #fruitful = false;
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Pick<RunStore, 'dueBeyond'>,
    private readonly clock: Clock,
  ) {}

  /** Due runs of tenants all over the backlog. Some may have been taken since they were found. */
  async candidates(): Promise<readonly Candidate[]> {
    const now = this.clock.now();
    const old = now - this.#searchedAt >= SEARCH_AGAIN_MS;
    if (!old && (this.#found.length > 0 || !this.#fruitful)) return this.#found;
    const { due, last } = await this.store.dueBeyond(this.#last, now, EACH);
    this.#searchedAt = now;
    this.#last = last ?? '';
    this.#found = due;
    this.#fruitful = due.length > 0;
    return due;
  }

  /** These need not be offered again. */
  forget(ids: ReadonlySet<string>): void {
    if (this.#found.length > 0) this.#found = this.#found.filter(({ id }) => !ids.has(id));
  }
}
