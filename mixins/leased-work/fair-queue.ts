/**
 * Round-robin over tenants with due work. A tenant with work in progress gets a second item only if no other tenant has
 * due work.
 */
export class FairQueue {
  readonly #served = new Set<string>();
  readonly #active = new Map<string, number>();

  /** Lists of tenants to exclude from a claim, in the order to try them; the last list is empty. */
  rounds(): readonly (readonly string[])[] {
    const busy = [...this.#active.keys()];
    const rounds: string[][] = [];
    if (this.#served.size > 0) rounds.push([...new Set([...busy, ...this.#served])]);
    if (busy.length > 0) rounds.push(busy);
    return [...rounds, []];
  }

  /** `round`: index in `rounds()`. A claim in a later round means that every tenant was served once. */
  onClaimed(tenantId: string, round: number): void {
    if (round > 0 || this.#served.size >= MAX_SERVED) this.#served.clear();
    this.#served.add(tenantId);
    this.#active.set(tenantId, (this.#active.get(tenantId) ?? 0) + 1);
  }

  onFinished(tenantId: string): void {
    const left = (this.#active.get(tenantId) ?? 1) - 1;
    if (left > 0) this.#active.set(tenantId, left);
    else this.#active.delete(tenantId);
  }

  /** Called when no work is due. */
  reset(): void {
    this.#served.clear();
  }
}

/** Bounds the `$nin` list of the claim query. */
const MAX_SERVED = 200;
