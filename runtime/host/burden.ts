/** What the runs of one host hold in memory. Owns: when it is too much. Does not own: the runs. */

/**
 * How much the runs of one host may hold before it takes on no more, in characters of their triggers and histories.
 * Objects take several times as much in memory.
 */
export const HELD_LIMIT = 128 * 1024 * 1024;

/** Runs grow after they were taken on: from here on the heaviest are given back. */
const TOO_MUCH = 2 * HELD_LIMIT;

/** A run that holds something. */
export interface Burdening {
  readonly weight: number;
  readonly draining: boolean;
  drain(): void;
}

/** The runs to be given back, so that those that stay hold not too much: the heaviest, but never the last one. */
export function tooHeavy<Run extends Burdening>(runs: Iterable<Run>, most: number): Run[] {
  const heaviest = [...runs].filter(({ draining }) => !draining).sort((a, b) => b.weight - a.weight);
  let staying = heaviest.reduce((sum, { weight }) => sum + weight, 0);
  const given: Run[] = [];
  for (const run of heaviest.slice(0, -1)) {
    if (staying <= most) break;
    staying -= run.weight;
    given.push(run);
  }
  return given;
}

export class Burden {
  #held = 0;
  #shedding = false;

  constructor(private readonly runs: () => Iterable<Burdening>) {}

  /** No further run is to be claimed. */
  get heavy(): boolean {
    return this.#held > HELD_LIMIT;
  }

  /** Not even one that was claimed is to be read. */
  get tooHeavy(): boolean {
    return this.#held > TOO_MUCH;
  }

  add(change: number): void {
    this.#held += change;
    if (!this.tooHeavy || this.#shedding) return;
    this.#shedding = true;
    // Not now: the run that has just grown is in the middle of its decision.
    queueMicrotask(() => {
      this.#shedding = false;
      for (const run of tooHeavy(this.runs(), TOO_MUCH)) run.drain();
    });
  }
}
