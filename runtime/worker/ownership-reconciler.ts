import type { Claim, Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';

interface OwnershipReconcilerDeps {
  readonly store: Pick<RunStore, 'owned'>;
  readonly hostId: () => string;
  /** The run's actor here, if there is one. */
  readonly actor: (
    id: string,
  ) => { readonly execution: Execution; checkMessages(messageSeq: number): void } | undefined;
  /** Whether the run is being loaded. */
  readonly isLoading: (id: string) => boolean;
  readonly release: (claim: Claim) => Promise<void>;
}

/**
 * Implements H5: a start or claim whose answer was lost leaves a run that is owned but not active. One that is missing
 * in two reconciliations in a row, under the same claim, is no race with a start or an end. Also the fallback for lost
 * message hints. Must not run during a claim, whose runs may not be loading yet.
 */
export class OwnershipReconciler {
  /** Epochs of the runs missing in the last reconciliation. */
  #missing = new Map<string, number>();

  constructor(private readonly deps: OwnershipReconcilerDeps) {}

  async run(): Promise<void> {
    const { store, actor, isLoading, release } = this.deps;
    const host = this.deps.hostId();
    const missing = new Map<string, number>();
    for (const { id, epoch, messageSeq } of await store.owned(host)) {
      const alive = actor(id);
      if (alive?.execution.epoch === epoch) alive.checkMessages(messageSeq);
      else if (!isLoading(id)) missing.set(id, epoch);
    }
    for (const [id, epoch] of missing) {
      const idle = actor(id) === undefined && !isLoading(id);
      if (idle && this.#missing.get(id) === epoch) await release({ id, host, epoch });
    }
    this.#missing = missing;
  }
}
