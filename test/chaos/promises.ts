import type { StreamClient } from '../support/sse-client';

/** How a run may end, by what was asked of it and answered. */
export type Expected = 'completed' | 'failed' | 'cancelled';

/** A run that the cluster has accepted, and what it owes for it. */
export interface Promised {
  readonly run: string;
  readonly kind: string;
  readonly acceptedAt: number;
  /** More than one where a race decides, such as a cancellation against the end. */
  readonly ends: readonly Expected[];
  /** What its output must hold; null: anything. */
  readonly output: unknown;
  readonly stream: StreamClient | null;
}

/** All that clients were promised, and the answers that they got. */
export class Promises {
  readonly accepted: Promised[] = [];
  readonly answers: Record<string, number> = {};
  /** What an answer itself did wrong: another run for the same key, a wrong result. */
  readonly faults: string[] = [];

  accept(promised: Omit<Promised, 'acceptedAt'>): void {
    this.accepted.push({ ...promised, acceptedAt: Date.now() });
  }

  count(answer: string): void {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
  }
}
