import { createCache } from '../cache';
import { AppError } from '../errors';
import type { TokenBuckets } from '../token-bucket';
import { RateLimiter } from './rate-limiter';

/** Maximum remembered valid credentials. */
const MAX_VALID = 50_000;

/**
 * Limits invalid credentials per second and source, such as an address. The rate limit counts by credential, so a
 * client that sends a new one with each request would never reach it. Valid credentials are not limited by source.
 */
export class InvalidCredentialLimiter {
  readonly #limiter: RateLimiter;
  readonly #valid = createCache<true>({ max: MAX_VALID });

  constructor(perSecond: number, buckets: TokenBuckets) {
    this.#limiter = new RateLimiter(perSecond, buckets);
  }

  /** Before a credential is verified. @throws AppError rate_limited */
  admit(credential: string, source: string, now: number): void {
    if (this.#valid.has(credential) || !this.#limiter.isExhausted(bucketOf(source), now)) return;
    throw new AppError('rate_limited', 'Too many invalid credentials; slow down', { retry_after: 1 });
  }

  onValid(credential: string): void {
    if (!this.#valid.has(credential)) this.#valid.set(credential, true);
  }

  onInvalid(credential: string, source: string, now: number): void {
    this.#valid.delete(credential);
    this.#limiter.takeLocal(bucketOf(source), now);
  }
}

const bucketOf = (source: string): string => `invalid:${source}`;
