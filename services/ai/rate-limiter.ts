import { AppError } from '../../lib/errors';
import { TokenBuckets } from '../../lib/token-bucket';

const MAX_REQUESTS_PER_MINUTE = 60;
const RATE = { perSecond: MAX_REQUESTS_PER_MINUTE / 60, capacity: MAX_REQUESTS_PER_MINUTE };
const MAX_CONCURRENT = 5;

/** Limits the requests of a tenant to models, per minute and concurrent. */
export class RateLimiter {
  readonly #buckets = new TokenBuckets();
  readonly #active = new Map<string, number>();

  /** Runs the work within the limits. @throws AppError rate_limited */
  async run<T>(tenantId: string, now: number, work: () => Promise<T>): Promise<T> {
    const active = this.#active.get(tenantId) ?? 0;
    if (active >= MAX_CONCURRENT) throw limitExceeded(`${MAX_CONCURRENT} concurrent requests`);
    if (this.#buckets.takeLocal(tenantId, RATE, now) === null)
      throw limitExceeded(`${MAX_REQUESTS_PER_MINUTE} requests a minute`);
    this.#active.set(tenantId, active + 1);
    try {
      return await work();
    } finally {
      const left = (this.#active.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#active.delete(tenantId);
      else this.#active.set(tenantId, left);
    }
  }
}

const limitExceeded = (limit: string): AppError =>
  new AppError('rate_limited', `Rate limit exceeded: a tenant may send at most ${limit} to models`, { retry_after: 1 });
