import type { JsonObject } from '../../lib/json';

/** A cached output, valid until an instant in epoch milliseconds. */
export interface KeptOutput {
  readonly tenantId: string;
  readonly workflowId: string;
  readonly output: JsonObject;
  readonly until: number;
}

/** The step cache. */
export interface OutputStore {
  /** The output of a key; null when there is no valid one at `now`. */
  find(key: string, now: number): Promise<JsonObject | null>;
  /** Replaces an earlier output. */
  keep(key: string, kept: KeptOutput): Promise<void>;
}
