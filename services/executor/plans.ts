import { type Plan, type PreparedPlan, prepare } from '../../dsl';
import { hashJson, isObject, type Json } from '../../lib/json';
import { ReadThrough } from '../../lib/read-through';
import { SharedCache } from '../../mixins/redis/shared-cache';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';

const CACHED = 2_000;
/** Plans never change, so this only bounds what lies in Redis of workflows that nobody starts any more. */
const SHARED_TTL_MS = 10 * 60_000;
const LONGEST_SHARED = 256 * 1024;

/** Plans by their hashes: in memory and ready to run, else as other hosts have shared them, else from their owner. */
export class Plans {
  readonly #prepared: ReadThrough<PreparedPlan>;
  readonly #shared: SharedCache<Plan>;

  constructor({ clock, shared }: Pick<App, 'clock' | 'shared'>) {
    const now = (): number => clock.now();
    this.#prepared = new ReadThrough({ max: CACHED, ttlMs: Number.POSITIVE_INFINITY, now });
    this.#shared = new SharedCache({
      state: shared,
      name: 'plan',
      ttlMs: SHARED_TTL_MS,
      longest: LONGEST_SHARED,
      now,
      parse: planOfHash,
    });
  }

  /** @throws AppError not_found */
  get(context: Pick<ServiceContext, 'call'>, tenantId: string, hash: string): Promise<PreparedPlan> {
    const ask = (): Promise<Plan> => context.call('workflows.plan', { hash }, { asServiceOf: tenantId });
    return this.#prepared.get(hash, async () => prepare(await this.#shared.get(hash, ask)));
  }
}

/** The plan that a value is, by its hash; null for anything else. Nobody can make another value of the same hash. */
export function planOfHash(value: unknown, hash: string): Plan | null {
  if (!isObject(value)) return null;
  const { hash: own, ...content } = value;
  // It was parsed from JSON; and with that hash it is what a compiler of ours has made.
  return own === hash && hashJson(content as Json) === hash ? (value as unknown as Plan) : null;
}
