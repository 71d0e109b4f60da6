import { AppError } from '../../lib/errors';
import type { SharedState } from '../../mixins/redis/shared-state';
import { Buckets, type Flow } from './buckets';

type SetHeader = (name: string, value: string) => void;

/** What a client has left, as the RateLimit header fields tell it. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
}

/** A token bucket per client: `perSecond` tokens flow in each second, and as many may be saved up. */
export class RateLimiter {
  readonly #buckets: Buckets;
  readonly #flow: Flow;

  constructor(
    private readonly perSecond: number,
    shared: SharedState | null = null,
  ) {
    this.#buckets = new Buckets(shared);
    this.#flow = { perSecond, capacity: perSecond };
  }

  /** Whether a client has no token left in this process. */
  isSpent(client: string, now: number): boolean {
    return this.#buckets.isSpent(client, this.#flow, now);
  }

  /** Takes a token of this process. Null when there is none left. */
  take(client: string, now: number): Allowance | null {
    return this.#allowance(this.#buckets.takeHere(client, this.#flow, now));
  }

  /** Takes a token, and tells what is left in header fields. @throws AppError rate_limited */
  async admit(client: string, now: number, setHeader: SetHeader): Promise<void> {
    const allowance = this.#allowance(await this.#buckets.take(client, this.#flow, now));
    setHeader('RateLimit-Limit', String(this.perSecond));
    setHeader('RateLimit-Remaining', String(allowance?.remaining ?? 0));
    setHeader('RateLimit-Reset', String(allowance?.reset ?? 1));
    if (allowance !== null) return;
    throw new AppError('rate_limited', `More than ${this.perSecond} requests per second; slow down`, {
      retry_after: 1,
    });
  }

  #allowance(tokens: number | null): Allowance | null {
    if (tokens === null) return null;
    const missing = this.perSecond - tokens;
    return { limit: this.perSecond, remaining: Math.floor(tokens), reset: Math.ceil(missing / this.perSecond) };
  }
}
