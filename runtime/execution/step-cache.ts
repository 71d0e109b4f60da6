import type { PreparedStep } from '../../dsl';
import { sha256 } from '../../lib/crypto';
import { errorMessage } from '../../lib/errors';
import { canonicalJson, type Json, type JsonObject, jsonSize } from '../../lib/json';
import type { Clock } from '../../lib/clock';
import { MAX_INLINE_CHARS } from '../core/entries/codec';
import { hasPlaceholders } from '../core/secrets/secret-redactor';
import type { OutputStore } from '../ports/output-store';
import type { AttemptRun } from './attempt';

/** Maximum length of a cached output: a step that finds it waits for it. */
const MAX_OUTPUT_CHARS = 8 * MAX_INLINE_CHARS;

/** The scope of cached outputs. */
interface CacheOwner {
  readonly tenantId: string;
  readonly workflowId: string;
  readonly stepId: string;
  readonly type: string;
  readonly ttlMs: number;
}

/** The cache of a step; null for one whose outputs are not cached. */
export function stepCacheOf(
  { deps, execution, context }: Pick<AttemptRun, 'deps' | 'execution' | 'context'>,
  { id, type, cache }: PreparedStep['def'],
): StepCache | null {
  if (cache === undefined) return null;
  const { tenantId } = execution;
  const owner = { tenantId, workflowId: context.workflowId, stepId: id, type, ttlMs: cache.ttlMs };
  return new StepCache(deps.outputs, deps.clock, owner, (message) => deps.log(execution, 'warn', message));
}

/**
 * The cached outputs of one step, shared by runs of its workflow. A store that does not answer counts as a cache miss.
 */
export class StepCache {
  constructor(
    private readonly store: OutputStore,
    private readonly clock: Clock,
    private readonly owner: CacheOwner,
    private readonly warn: (message: string) => void,
  ) {}

  /** `by`: the cache input, without secret values. */
  async find(by: Json): Promise<JsonObject | null> {
    try {
      return await this.store.find(this.#key(by), this.clock.now());
    } catch (fault) {
      this.warn(`Step cache: read failed: ${errorMessage(fault)}`);
      return null;
    }
  }

  /** A secret's placeholder is valid in its own run only, so such outputs are not cached. */
  async keep(by: Json, output: JsonObject): Promise<void> {
    if (jsonSize(output, MAX_OUTPUT_CHARS) > MAX_OUTPUT_CHARS || hasPlaceholders(output)) return;
    const { tenantId, workflowId, ttlMs } = this.owner;
    try {
      await this.store.keep(this.#key(by), { tenantId, workflowId, output, until: this.clock.now() + ttlMs });
    } catch (fault) {
      this.warn(`Step cache: write failed: ${errorMessage(fault)}`);
    }
  }

  #key(by: Json): string {
    const { tenantId, workflowId, stepId, type } = this.owner;
    return sha256(canonicalJson([tenantId, workflowId, stepId, type, by]));
  }
}
