import { AppError } from '../../lib/errors';

const WINDOW_MS = 60_000;
const MAX_REQUESTS_PER_WINDOW = 60;
const MAX_CONCURRENT = 5;
/** Tenants in memory; the oldest are dropped first. */
const MAX_TENANTS = 50_000;

interface TenantWindow {
  active: number;
  count: number;
  /** End of the window. */
  until: number;
}

/** Limits requests and concurrent requests of one tenant to models. */
export class RateLimiter {
  readonly #window = new Map<string, TenantWindow>();

  /** Runs the work within the limits. @throws AppError rate_limited */
  async run<T>(tenantId: string, now: number, work: () => Promise<T>): Promise<T> {
    const window = this.#windowOf(tenantId, now);
    if (window.active >= MAX_CONCURRENT) throw refusal(`at most ${MAX_CONCURRENT} requests to models at a time`, 1);
    if (window.count >= MAX_REQUESTS_PER_WINDOW) {
      throw refusal(
        `at most ${MAX_REQUESTS_PER_WINDOW} requests to models a minute`,
        Math.ceil((window.until - now) / 1_000),
      );
    }
    window.active += 1;
    window.count += 1;
    try {
      return await work();
    } finally {
      window.active -= 1;
    }
  }

  #windowOf(tenantId: string, now: number): TenantWindow {
    const known = this.#window.get(tenantId);
    if (known !== undefined && known.until > now) return known;
    // Active requests still count when a new window starts.
    const window = { active: known?.active ?? 0, count: 0, until: now + WINDOW_MS };
    if (known !== undefined) return Object.assign(known, window);
    const [oldest] = this.#window.keys();
    if (this.#window.size >= MAX_TENANTS && oldest !== undefined) this.#window.delete(oldest);
    this.#window.set(tenantId, window);
    return window;
  }
}

const refusal = (rule: string, seconds: number): AppError =>
  new AppError('rate_limited', `Rate limit exceeded: ${rule} for one tenant`, { retry_after: seconds });
