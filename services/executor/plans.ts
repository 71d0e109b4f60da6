import { type Plan, type PreparedPlan, prepareSliced } from '../../dsl';
import { hashJson, isObject, type Json } from '../../lib/json';
import { ReadThrough } from '../../lib/read-through';
import { SharedCache } from '../../lib/redis/shared-cache';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';

const CACHED = 2_000;
/** Plans never change. The TTL only removes plans of workflows that are no longer started. */
const SHARED_TTL_MS = 10 * 60_000;
const MAX_SHARED_CHARS = 256 * 1024;

/** Plans by hash, from memory, else from the shared cache in Redis, else from the workflows service. */
export class Plans {
  readonly #prepared: ReadThrough<PreparedPlan>;
  readonly #shared: SharedCache<Plan>;

  constructor({ clock, shared }: Pick<App, 'clock' | 'shared'>) {
    const now = (): number => clock.now();
    this.#prepared = new ReadThrough({ max: CACHED });
    this.#shared = new SharedCache({
      state: shared,
      name: 'plan',
      ttlMs: SHARED_TTL_MS,
      longest: MAX_SHARED_CHARS,
      now,
      parse: planOfHash,
    });
  }

  /** @throws AppError not_found */
  get(context: Pick<ServiceContext, 'call'>, tenantId: string, hash: string): Promise<PreparedPlan> {
    const ask = (): Promise<Plan> => context.call('workflows.plan', { hash }, { asServiceOf: tenantId });
    return this.#prepared.get(hash, async () => prepareSliced(await this.#shared.get(hash, ask)));
  }
}

/** Validates a plan by its hash, which is collision-resistant; null for any other value. */
export function planOfHash(value: unknown, hash: string): Plan | null {
  if (!isObject(value)) return null;
  const { hash: own, ...content } = value;
  // The value was parsed from JSON; with this hash it is a plan of our compiler.
  return own === hash && hashJson(content as Json) === hash ? (value as unknown as Plan) : null;
}
