import { AppError } from '../../lib/errors';
import { RateLimiter } from './rate-limit';

/** Credentials remembered as good; one that is forgotten counts as a stranger's once more. */
const MOST_KNOWN = 50_000;

/**
 * Bounds how many worthless credentials an address may try in a second. The rate limit counts by credential, so whoever
 * makes up a new one for each request would never meet it. Credentials that were good are not held up by their neighbours.
 */
export class Strangers {
  readonly #refused: RateLimiter;
  readonly #known = new Set<string>();

  constructor(perSecond: number) {
    this.#refused = new RateLimiter(perSecond);
  }

  /** Before a credential is looked at. @throws AppError rate_limited */
  admit(credential: string, address: string, now: number): void {
    if (this.#known.has(credential) || !this.#refused.isSpent(address, now)) return;
    throw new AppError('rate_limited', 'Too many credentials that are not valid; slow down', { retry_after: 1 });
  }

  accepted(credential: string): void {
    if (this.#known.has(credential)) return;
    if (this.#known.size >= MOST_KNOWN) this.#known.delete(this.#known.values().next().value as string);
    this.#known.add(credential);
  }

  refused(credential: string, address: string, now: number): void {
    this.#known.delete(credential);
    this.#refused.take(address, now);
  }
}
