/** The memory of the runs of one host. Owns: the limits. Does not own: the runs. */

/**
 * Soft limit: above it, a host claims no further runs. In characters of triggers and histories; objects take several
 * times as much memory.
 */
export const MAX_HELD_CHARS = 128 * 1024 * 1024;

/** Hard limit: above it, the largest runs are released. */
const HARD_LIMIT_CHARS = 2 * MAX_HELD_CHARS;

/** A run with its size. */
interface SizedRun {
  readonly size: number;
  readonly draining: boolean;
  drain(): void;
}

/** The largest runs, to be released until the rest is below the limit; never the last one. */
export function runsToShed<Run extends SizedRun>(runs: Iterable<Run>, maxChars: number): Run[] {
  const heaviest = [...runs].filter(({ draining }) => !draining).sort((a, b) => b.size - a.size);
  let staying = heaviest.reduce((sum, { size }) => sum + size, 0);
  const shed: Run[] = [];
  for (const run of heaviest.slice(0, -1)) {
    if (staying <= maxChars) break;
    staying -= run.size;
    shed.push(run);
  }
  return shed;
}

export class MemoryBudget {
  #held = 0;
  #shedding = false;

  constructor(private readonly runs: () => Iterable<SizedRun>) {}

  /** True when no further run may be claimed. */
  get overSoftLimit(): boolean {
    return this.#held > MAX_HELD_CHARS;
  }

  /** True when not even a claimed run may be loaded. */
  get overHardLimit(): boolean {
    return this.#held > HARD_LIMIT_CHARS;
  }

  add(change: number): void {
    this.#held += change;
    if (!this.overHardLimit || this.#shedding) return;
    this.#shedding = true;
    // Deferred: the run that has just grown is in the middle of its decision.
    queueMicrotask(() => {
      this.#shedding = false;
      for (const run of runsToShed(this.runs(), HARD_LIMIT_CHARS)) run.drain();
    });
  }
}
