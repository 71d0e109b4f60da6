import type { Quota } from '../core/decide/quota';

/** What is stored of a connection; `revision` changes with each write, null: nothing is stored. */
export interface StoredQuota {
  readonly quota: Quota;
  readonly revision: string | null;
}

/** The use of connections with limits. */
export interface QuotaStore {
  read(connection: string): Promise<StoredQuota>;
  /** Replaces what has not changed since it was read; false when it has. `revision`: unique to this write. */
  write(connection: string, before: StoredQuota, after: Quota, revision: string, until: number): Promise<boolean>;
  /** Those of the runs that have not ended, with the epoch under which a host has them; null: none has. */
  running(runs: readonly string[]): Promise<ReadonlyMap<string, number | null>>;
  /** Marks a stored run as one that only versions with waits for connections may claim. */
  mark(run: string): Promise<void>;
  /** Makes a run due at a time, if it is not due before, and its host look again. */
  wakeAt(run: string, at: number): Promise<void>;
}
