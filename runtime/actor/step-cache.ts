import { sha256 } from '../../lib/crypto';
import { errorMessage } from '../../lib/errors';
import { canonicalJson, type Json, type JsonObject, jsonSize } from '../../lib/json';
import type { Clock } from '../../lib/clock';
import { INLINE_LIMIT } from '../record/codec';
import { hasMarks } from '../rules/veil';
import type { OutputStore } from '../store/output-store';

/** Longest output that is kept for others, in characters: whoever finds it waits for it. */
const LONGEST = 8 * INLINE_LIMIT;

/** Whose outputs count for whom. */
export interface CacheOwner {
  readonly tenantId: string;
  readonly workflowId: string;
  readonly stepId: string;
  readonly type: string;
  readonly ttlMs: number;
}

/**
 * The outputs of one step that count for other runs of its workflow. A store that does not answer is no reason for a
 * step to fail: it is as if nothing was kept.
 */
export class StepCache {
  constructor(
    private readonly store: OutputStore,
    private readonly clock: Clock,
    private readonly owner: CacheOwner,
    private readonly warn: (message: string) => void,
  ) {}

  /** `by`: what must be the same, without secret values. */
  async find(by: Json): Promise<JsonObject | null> {
    try {
      return await this.store.find(this.#key(by), this.clock.now());
    } catch (fault) {
      this.warn(`Kept outputs cannot be read: ${errorMessage(fault)}`);
      return null;
    }
  }

  /** A secret's mark counts in its own run alone. */
  async keep(by: Json, output: JsonObject): Promise<void> {
    if (jsonSize(output, LONGEST) > LONGEST || hasMarks(output)) return;
    const { tenantId, workflowId, ttlMs } = this.owner;
    try {
      await this.store.keep(this.#key(by), { tenantId, workflowId, output, until: this.clock.now() + ttlMs });
    } catch (fault) {
      this.warn(`An output cannot be kept: ${errorMessage(fault)}`);
    }
  }

  #key(by: Json): string {
    const { tenantId, workflowId, stepId, type } = this.owner;
    return sha256(canonicalJson([tenantId, workflowId, stepId, type, by]));
  }
}
