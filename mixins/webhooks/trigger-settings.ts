import { compileTemplate, templateRefs } from '../../dsl';
import { type Cache, createCache, createGroupCache } from '../../lib/cache';
import type { JsonObject } from '../../lib/json';
import type { App } from '../../services/app';
import type { Call } from '../../contracts/catalogue';
import type { StartSnapshot } from '../../contracts/workflows/views';
import { CACHE_MAX_AGE_MS } from '../invalidation';
import { STALE_SECRETS } from '../start-run';

const MAX_PLANS = 10_000;
/** Plans are immutable; this only bounds how long unused ones are cached. */
const PLAN_TTL_MS = 3_600_000;
const MAX_TENANTS = 5_000;

type Workflow = Pick<StartSnapshot, 'tenant_id' | 'plan_hash'>;

/** The settings of workflows' triggers, and the values of the secrets in them. Cached. */
export class TriggerSettings {
  readonly #configs: Cache<readonly JsonObject[]>;
  /** By tenant. */
  readonly #secrets: Cache<Map<string, Readonly<Record<string, string>>>>;

  constructor(app: App) {
    const now = (): number => app.clock.now();
    this.#configs = createCache({ max: MAX_PLANS, ttlMs: PLAN_TTL_MS, now });
    this.#secrets = createGroupCache({ max: MAX_TENANTS, ttlMs: CACHE_MAX_AGE_MS, now });
  }

  /** The settings of each trigger of a type. */
  async of(call: Call, { tenant_id, plan_hash: hash }: Workflow, type: string): Promise<readonly JsonObject[]> {
    const id = `${type}:${hash}`;
    const known = this.#configs.get(id);
    if (known !== undefined) return known;
    const { triggers } = await call('workflows.plan', { hash }, { asServiceOf: tenant_id });
    const configs = triggers.filter((trigger) => trigger.type === type).map(({ config }) => config);
    this.#configs.set(id, configs);
    return configs;
  }

  /** The values of the existing secrets in these settings, by name. */
  async secretsIn(call: Call, { tenant_id: tenantId }: Workflow, settings: unknown): Promise<Record<string, string>> {
    const names = templateRefs(compileTemplate(settings as JsonObject)).secrets;
    if (names.length === 0) return {};
    const known = this.#secrets.memo(tenantId);
    const id = names.join();
    const values =
      known.get(id) ?? (await call('secrets.reveal', { names: [...names] }, { asServiceOf: tenantId })).values;
    known.set(id, values);
    return values;
  }

  /** Handles a pattern of `cache.stale`. */
  forget(pattern: string): void {
    if (pattern.startsWith(STALE_SECRETS)) this.#secrets.delete(pattern.slice(STALE_SECRETS.length));
  }
}
