import type { MemoryBudget } from './memory-budget';

/** Delay before a claimed run that does not fit is retried. */
const FULL_BACKOFF_MS = 1_000;

interface CapacityDeps {
  readonly capacity: number;
  readonly memory: Pick<MemoryBudget, 'overSoftLimit' | 'overHardLimit'>;
  /** Runs in memory. */
  readonly active: () => number;
  /** Runs that are being loaded. */
  readonly loading: () => number;
  /** There is room again after a refusal. */
  readonly onFree: () => void;
}

/** Implements H7: how many more runs a host can take. */
export class Capacity {
  #refusedRun = false;

  constructor(private readonly deps: CapacityDeps) {}

  get free(): number {
    const { capacity, memory, active, loading } = this.deps;
    const taken = active() + loading();
    return taken > 0 && memory.overSoftLimit ? 0 : capacity - taken;
  }

  /** Remembers a refusal, for `onFree`. */
  hasRoom(): boolean {
    if (this.free > 0) return true;
    this.#refusedRun = true;
    return false;
  }

  /** A run has left memory, or was never activated. */
  notice(): void {
    if (!this.#refusedRun || this.free <= 0) return;
    this.#refusedRun = false;
    this.deps.onFree();
  }

  /** Retry delay while no history may be loaded because the runs in memory have grown too much; null otherwise. */
  get refusalMs(): number | null {
    return this.deps.active() > 0 && this.deps.memory.overHardLimit ? FULL_BACKOFF_MS : null;
  }
}
