/**
 * Whose turn it is: one piece of work of each tenant who waits, then the next of each. Of those at work already, another
 * one is only done when nobody else waits.
 */
export class Turns {
  readonly #served = new Set<string>();
  readonly #atWork = new Map<string, number>();

  /** Whom to leave out, in the order in which to try; nobody is left out at last. */
  rounds(): readonly (readonly string[])[] {
    const busy = [...this.#atWork.keys()];
    const rounds: string[][] = [];
    if (this.#served.size > 0) rounds.push([...new Set([...busy, ...this.#served])]);
    if (busy.length > 0) rounds.push(busy);
    return [...rounds, []];
  }

  /** `round`: of `rounds`; after the first, all have had their turn. */
  begin(tenantId: string, round: number): void {
    if (round > 0 || this.#served.size >= MOST_SERVED) this.#served.clear();
    this.#served.add(tenantId);
    this.#atWork.set(tenantId, (this.#atWork.get(tenantId) ?? 0) + 1);
  }

  end(tenantId: string): void {
    const left = (this.#atWork.get(tenantId) ?? 1) - 1;
    if (left > 0) this.#atWork.set(tenantId, left);
    else this.#atWork.delete(tenantId);
  }

  /** Nobody waits: whoever comes next is the first. */
  anew(): void {
    this.#served.clear();
  }
}

/** Each is a word in the question for work. */
const MOST_SERVED = 200;
