/**
 * Round-robin over tenants with waiting work. For a tenant with work in progress, another
 * one is only taken when no other tenant waits.
 */
export class FairQueue {
  readonly #served = new Set<string>();
  readonly #atWork = new Map<string, number>();

  /** Tenants to skip, in the order in which to try; the last round skips none. */
  rounds(): readonly (readonly string[])[] {
    const busy = [...this.#atWork.keys()];
    const rounds: string[][] = [];
    if (this.#served.size > 0) rounds.push([...new Set([...busy, ...this.#served])]);
    if (busy.length > 0) rounds.push(busy);
    return [...rounds, []];
  }

  /** `round`: of `rounds`; after the first, all have had their turn. */
  begin(tenantId: string, round: number): void {
    if (round > 0 || this.#served.size >= MAX_SERVED) this.#served.clear();
    this.#served.add(tenantId);
    this.#atWork.set(tenantId, (this.#atWork.get(tenantId) ?? 0) + 1);
  }

  end(tenantId: string): void {
    const left = (this.#atWork.get(tenantId) ?? 1) - 1;
    if (left > 0) this.#atWork.set(tenantId, left);
    else this.#atWork.delete(tenantId);
  }

  /** No work waits: the next round starts from the beginning. */
  anew(): void {
    this.#served.clear();
  }
}

/** Each is a value in the query for work. */
const MAX_SERVED = 200;
