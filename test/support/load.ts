/** One request of a load, and its result. `status` 0: no answer came. */
export interface Outcome<T> {
  readonly n: number;
  readonly status: number;
  readonly body: T;
  readonly began: number;
  readonly tookMs: number;
}

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** Clients that send one request after the other until they are stopped. */
export class Load<T> {
  readonly outcomes: Outcome<T>[] = [];
  readonly #clients: Promise<void>[];
  #running = true;
  #next = 0;

  constructor(clients: number, ask: (n: number) => Promise<Answer<T>>) {
    this.#clients = Array.from({ length: clients }, () => this.#client(ask));
  }

  /** Resolves when the last requests are answered. */
  async stop(): Promise<Outcome<T>[]> {
    this.#running = false;
    await Promise.all(this.#clients);
    return this.outcomes;
  }

  async #client(ask: (n: number) => Promise<Answer<T>>): Promise<void> {
    while (this.#running) {
      const n = this.#next++;
      const began = performance.now();
      const { status, body } = await ask(n).catch((error: unknown) => ({ status: 0, body: String(error) as T }));
      this.outcomes.push({ n, status, body, began, tookMs: performance.now() - began });
    }
  }
}

/** How often each status came. */
export function statuses(outcomes: readonly Outcome<unknown>[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of outcomes) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** A percentile by nearest rank; NaN for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
