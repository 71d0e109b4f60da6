import type { Claim, Execution, RunStore } from '../store/port';

export interface AuditDeps {
  readonly store: Pick<RunStore, 'owned'>;
  readonly hostId: () => string;
  /** The run's actor here, if there is one. */
  readonly actor: (id: string) => { readonly execution: Execution; notice(inbox: number): void } | undefined;
  /** Whether the run is on its way into memory. */
  readonly comes: (id: string) => boolean;
  readonly giveBack: (claim: Claim) => Promise<void>;
}

/**
 * Keeps H5: a start or a claim whose answer was lost leaves a run that is owned but not alive. One that is missing at two
 * audits in a row, under the same claim, is no race with a start or an end. Also the fallback for messages whose hint was
 * lost. Not to be run while a claim is under way: it may own runs that are not on their way into memory yet.
 */
export class Audit {
  /** Epochs of the runs that the last audit missed. */
  #missing = new Map<string, number>();

  constructor(private readonly deps: AuditDeps) {}

  async run(): Promise<void> {
    const { store, actor, comes, giveBack } = this.deps;
    const host = this.deps.hostId();
    const missing = new Map<string, number>();
    for (const { id, epoch, inbox } of await store.owned(host)) {
      const alive = actor(id);
      if (alive?.execution.epoch === epoch) alive.notice(inbox);
      else if (!comes(id)) missing.set(id, epoch);
    }
    for (const [id, epoch] of missing) {
      const idle = actor(id) === undefined && !comes(id);
      if (idle && this.#missing.get(id) === epoch) await giveBack({ id, host, epoch });
    }
    this.#missing = missing;
  }
}
