import type { Clock } from '../../lib/clock';
import { isSuspect } from '../core/decide/poison';
import { type Candidate, type Claim, claimOf, type Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';

/** A run in memory. */
interface ActiveRun {
  readonly execution: Execution;
  /** This activation has recorded progress. */
  readonly progressed: boolean;
}

interface SuspectsDeps {
  readonly store: Pick<RunStore, 'resetClaims'>;
  readonly clock: Pick<Clock, 'now'>;
  /** A claim counts as successful when the run has been in memory for this long. */
  readonly trustedAfterMs: number;
}

/**
 * Runs with failed claims (see core/decide/poison.ts). Owns: that a host claims one of them at a time, so that no other
 * run can be blamed for the next crash, and that successful claims are not counted.
 */
export class Suspects {
  /** When each run with failed claims was claimed by this host. */
  readonly #since = new Map<string, number>();
  /** The suspect that was claimed alone, until its result is known. */
  #alone: string | null = null;

  constructor(private readonly deps: SuspectsDeps) {}

  /** Candidates that may be claimed together now. */
  claimable(candidates: readonly Candidate[]): Candidate[] {
    let free = this.#alone === null;
    return candidates.filter((candidate) => {
      if (!isSuspect(candidate)) return true;
      const first = free;
      free = false;
      return first;
    });
  }

  /** A run was claimed. */
  add({ id, claims }: Execution): void {
    if (claims < 2) return;
    this.#since.set(id, this.deps.clock.now());
    if (isSuspect({ claims: claims - 1 })) this.#alone = id;
  }

  /** The run has left memory, or was never activated. True when another suspect can be claimed now. */
  remove(id: string): boolean {
    this.#since.delete(id);
    if (this.#alone !== id) return false;
    this.#alone = null;
    return true;
  }

  /** Checks the runs in memory; true when another suspect can be claimed now. */
  async settle(resident: (id: string) => ActiveRun | undefined): Promise<boolean> {
    const { store, clock, trustedAfterMs } = this.deps;
    const lasting: Claim[] = [];
    for (const [id, since] of this.#since) {
      const run = resident(id);
      if (run !== undefined && (run.progressed || clock.now() - since >= trustedAfterMs))
        lasting.push(claimOf(run.execution));
    }
    if (lasting.length === 0) return false;
    await store.resetClaims(lasting);
    return lasting.map(({ id }) => this.remove(id)).includes(true);
  }
}
