/**
 * Tenants with parked runs. Owns: which of them a host looks after next. Does not own: their slots. A host remembers
 * those that it came across; what nobody remembers is found by a sweep that goes round.
 */
import type { RunStore } from '../store/port';

/** Tenants that one sweep finds, and that one look serves. */
const SWEPT_AT_ONCE = 32;
const SERVED_AT_ONCE = 16;

export class Hungry {
  /** In the order in which they are served; true: a slot may be had. */
  readonly #tenants = new Map<string, boolean>();
  #last = '';

  constructor(private readonly store: Pick<RunStore, 'parkedTenants'>) {}

  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId);
  }

  /** A run of this tenant was parked, or found no slot: it is looked at again when there may be one. */
  remember(tenantId: string): void {
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, false);
  }

  /** A slot may be had; false when nobody waits for one. */
  rouse(tenantId: string): boolean {
    if (!this.#tenants.has(tenantId)) return false;
    this.#tenants.set(tenantId, true);
    return true;
  }

  /** Nothing of this tenant is parked any more. */
  forget(tenantId: string): void {
    this.#tenants.delete(tenantId);
  }

  clear(): void {
    this.#tenants.clear();
  }

  /** Those whose turn it is. They go to the end of the line. */
  next(): string[] {
    const turn: string[] = [];
    for (const [tenantId, roused] of this.#tenants) {
      if (roused) turn.push(tenantId);
      if (turn.length === SERVED_AT_ONCE) break;
    }
    for (const tenantId of turn) this.remember(tenantId);
    return turn;
  }

  /** Looks for tenants that nobody remembers, a few at a time, and lets some of the known ones try again. */
  async sweep(): Promise<boolean> {
    const found = await this.store.parkedTenants(this.#last, SWEPT_AT_ONCE);
    this.#last = found.length < SWEPT_AT_ONCE ? '' : (found.at(-1) as string);
    for (const tenantId of found) this.#tenants.set(tenantId, true);
    let left = SWEPT_AT_ONCE;
    for (const [tenantId, roused] of this.#tenants) {
      if (left-- === 0) break;
      if (!roused) this.#tenants.set(tenantId, true);
    }
    return this.#tenants.size > 0;
  }
}
