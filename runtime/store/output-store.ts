import type { JsonObject } from '../../lib/json';

/** An output that counts for other runs, until an instant in epoch milliseconds. */
export interface KeptOutput {
  readonly tenantId: string;
  readonly workflowId: string;
  readonly output: JsonObject;
  readonly until: number;
}

/** Outputs that steps of other runs may have instead of doing their work again. */
export interface OutputStore {
  /** The output under a key; null when there is none that counts at `now`. */
  find(key: string, now: number): Promise<JsonObject | null>;
  /** The newest one stays. */
  keep(key: string, kept: KeptOutput): Promise<void>;
}
