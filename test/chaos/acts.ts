import type { Chance } from './chance';

/** Faults that may be injected into a cluster. Times in milliseconds: how long until the part is back. */
export type Act =
  | { readonly kind: 'kill' | 'pause' | 'drain'; readonly what: 'executor' | 'gateway'; readonly forMs: number }
  | { readonly kind: 'kill' | 'pause'; readonly what: 'nats' | 'store'; readonly forMs: number }
  | { readonly kind: 'add'; readonly what: 'executor' }
  | { readonly kind: 'kill all'; readonly what: 'executor'; readonly forMs: number };

/** The number of live executors, and its maximum. */
export interface Crew {
  readonly executors: number;
  readonly max: number;
}

/** The next act, and the pause before it. Depends only on the seeded random numbers. */
export function nextAct(chance: Chance, crew: Crew): { act: Act; afterMs: number } {
  const ms = (min: number, max: number): number => chance.between(min, max);
  const afterMs = ms(1_500, 6_000);
  const act = chance.pick<Act>([
    [5, { kind: 'kill', what: 'executor', forMs: ms(0, 4_000) }],
    // Sometimes shorter than a lease, sometimes longer: the second makes a host that thinks it still owns its runs.
    [4, { kind: 'pause', what: 'executor', forMs: ms(500, 9_000) }],
    [3, { kind: 'drain', what: 'executor', forMs: ms(0, 2_000) }],
    [crew.executors < crew.max ? 2 : 0, { kind: 'add', what: 'executor' }],
    [1, { kind: 'kill all', what: 'executor', forMs: ms(0, 3_000) }],
    [2, { kind: 'kill', what: 'gateway', forMs: ms(0, 2_000) }],
    [1, { kind: 'pause', what: 'gateway', forMs: ms(500, 6_000) }],
    [2, { kind: 'drain', what: 'gateway', forMs: ms(0, 1_000) }],
    [2, { kind: 'kill', what: 'nats', forMs: ms(0, 4_000) }],
    [1, { kind: 'pause', what: 'nats', forMs: ms(500, 5_000) }],
    [2, { kind: 'kill', what: 'store', forMs: ms(0, 3_000) }],
    [2, { kind: 'pause', what: 'store', forMs: ms(300, 6_000) }],
  ]);
  return { act, afterMs };
}
