import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import { type Branding, BRANDING_KEY } from '../../contracts/auth/branding';
import type { Call } from '../../contracts/catalogue';
import type { App } from '../app';
import { NO_BRANDING } from './public-page/layout';

const MAX_CACHED = 5_000;

/** Name, logo and colour of the tenants whose pages are open. */
export class Brandings {
  readonly #known: ReadThrough<Branding>;

  constructor(
    app: App,
    private readonly warn: (message: string, fault: unknown) => void,
  ) {
    this.#known = new ReadThrough({ max: MAX_CACHED, ttlMs: CACHE_MAX_AGE_MS, now: () => app.clock.now() });
  }

  /** Never rejects: a page without colours is better than none. */
  async of(call: Call, tenantId: string): Promise<Branding> {
    try {
      return await this.#known.get(tenantId, () => call('auth.public_branding', {}, { asServiceOf: tenantId }));
    } catch (fault) {
      this.warn('The branding of a workspace could not be read; its page is shown without', fault);
      return NO_BRANDING;
    }
  }

  /** Of the tenant of a run, which is what the links of approvals name. Never rejects. */
  async ofRun(call: Call, executionId: string): Promise<Branding> {
    const run = await call('executions.tenant_of', { id: executionId }).catch(() => null);
    return run === null ? NO_BRANDING : this.of(call, run.tenant_id);
  }

  /** Drops what a pattern of `cache.stale` names. */
  forget(pattern: string): void {
    if (pattern.startsWith(BRANDING_KEY)) this.#known.delete(pattern.slice(BRANDING_KEY.length));
  }
}
