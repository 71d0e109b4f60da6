/**
 * Finds due runs of other tenants when the window of oldest due runs is full. Owns: the search. Does not own: the
 * choice.
 */
import type { Clock } from '../../lib/clock';
import type { Candidate } from '../core/model';
import type { RunStore } from '../ports/run-store';

/** Runs per tenant in one search. */
const MAX_RUNS_PER_TENANT = 8;
/** Minimum time between searches. */
const SEARCH_INTERVAL_MS = 1_000;

export class Backlog {
  #found: readonly Candidate[] = [];
  /** The next search continues after this tenant, so that every tenant is reached. */
  #last = '';
  #foundSome = false;
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Pick<RunStore, 'dueByTenant'>,
    private readonly clock: Clock,
  ) {}

  /** Due runs of tenants of the whole backlog. Some may have been claimed since. */
  async candidates(): Promise<readonly Candidate[]> {
    const now = this.clock.now();
    const isStale = now - this.#searchedAt >= SEARCH_INTERVAL_MS;
    if (!isStale && (this.#found.length > 0 || !this.#foundSome)) return this.#found;
    const { due, last } = await this.store.dueByTenant(this.#last, now, MAX_RUNS_PER_TENANT);
    this.#searchedAt = now;
    this.#last = last ?? '';
    this.#found = due;
    this.#foundSome = due.length > 0;
    return due;
  }

  /** Removes runs that were tried. */
  forget(ids: ReadonlySet<string>): void {
    if (this.#found.length > 0) this.#found = this.#found.filter(({ id }) => !ids.has(id));
  }
}
