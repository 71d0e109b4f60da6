import type { StreamClient } from '../support/sse-client';

/** How a run may end, depending on the requests that were answered. */
export type Expected = 'completed' | 'failed' | 'cancelled';

/** A run that the cluster has accepted, and its expected results. */
export interface Promised {
  readonly run: string;
  readonly kind: string;
  readonly acceptedAt: number;
  /** More than one status in case of a race, such as a cancellation against the end. */
  readonly ends: readonly Expected[];
  /** What its output must contain; null: anything. */
  readonly output: unknown;
  readonly stream: StreamClient | null;
}

/** All accepted runs, and the answers that clients got. */
export class Promises {
  readonly accepted: Promised[] = [];
  readonly answers: Record<string, number> = {};
  /** Errors in the answers themselves: another run for the same key, a wrong result. */
  readonly faults: string[] = [];

  accept(promised: Omit<Promised, 'acceptedAt'>): void {
    this.accepted.push({ ...promised, acceptedAt: Date.now() });
  }

  count(answer: string): void {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
  }
}
