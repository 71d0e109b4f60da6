/**
 * Tenants with parked runs. Owns: which of them this host serves next. Does not own: their slots. A host remembers
 * those it has seen; a round-robin sweep finds the others.
 */
import type { RunStore } from '../ports/run-store';

/** Tenants per sweep, and per poll. */
const MAX_TENANTS_PER_SWEEP = 32;
const MAX_TENANTS_PER_POLL = 16;

export class ParkedTenants {
  /** In the order of service; true: a slot may be available. */
  readonly #tenants = new Map<string, boolean>();
  #last = '';

  constructor(private readonly store: Pick<RunStore, 'parkedTenants'>) {}

  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId);
  }

  /** A run of this tenant was parked, or found no slot. */
  add(tenantId: string): void {
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, false);
  }

  /** A slot may be available; false when the tenant has no parked runs here. */
  markRunnable(tenantId: string): boolean {
    if (!this.#tenants.has(tenantId)) return false;
    this.#tenants.set(tenantId, true);
    return true;
  }

  /** The tenant has no parked runs any more. */
  delete(tenantId: string): void {
    this.#tenants.delete(tenantId);
  }

  clear(): void {
    this.#tenants.clear();
  }

  /** The next runnable tenants, which move to the end of the queue. */
  next(): string[] {
    const next: string[] = [];
    for (const [tenantId, isRunnable] of this.#tenants) {
      if (isRunnable) next.push(tenantId);
      if (next.length === MAX_TENANTS_PER_POLL) break;
    }
    for (const tenantId of next) this.add(tenantId);
    return next;
  }

  /** Reads further tenants with parked runs, a few at a time, and marks some of the known ones as runnable. */
  async sweep(): Promise<boolean> {
    const found = await this.store.parkedTenants(this.#last, MAX_TENANTS_PER_SWEEP);
    this.#last = found.length < MAX_TENANTS_PER_SWEEP ? '' : (found.at(-1) as string);
    for (const tenantId of found) this.#tenants.set(tenantId, true);
    let left = MAX_TENANTS_PER_SWEEP;
    for (const [tenantId, isRunnable] of this.#tenants) {
      if (left-- === 0) break;
      if (!isRunnable) this.#tenants.set(tenantId, true);
    }
    return this.#tenants.size > 0;
  }
}
