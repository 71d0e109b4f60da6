import { AppError } from '../../lib/errors';
import type { SharedState } from '../../mixins/redis/shared-state';

/** Clients remembered; the one not seen for longest leaves first, and starts with a full bucket when it comes back. */
const MOST_CLIENTS = 50_000;

type SetHeader = (name: string, value: string) => void;

interface Bucket {
  tokens: number;
  at: number;
}

/** What a client has left, as the RateLimit header fields tell it. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
}

/**
 * A token bucket per client: `perSecond` tokens flow in each second, and as many may be saved up. All gateways take
 * from the same buckets where they share a Redis; while it is away, each has buckets of its own.
 */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly perSecond: number,
    private readonly shared: SharedState | null = null,
  ) {}

  /** Whether a client has no token left in this process. */
  isSpent(client: string, now: number): boolean {
    const bucket = this.#buckets.get(client);
    return bucket !== undefined && this.#filled(bucket, now) < 1;
  }

  /** Takes a token of this process. Null when there is none left. */
  take(client: string, now: number): Allowance | null {
    const known = this.#buckets.get(client);
    const bucket = known ?? { tokens: this.perSecond, at: now };
    bucket.tokens = this.#filled(bucket, now);
    bucket.at = now;
    // Put at the end again, so that the map's order is the order of last use.
    if (known !== undefined) this.#buckets.delete(client);
    else if (this.#buckets.size >= MOST_CLIENTS) this.#buckets.delete(this.#buckets.keys().next().value as string);
    this.#buckets.set(client, bucket);
    if (bucket.tokens < 1) return null;
    bucket.tokens -= 1;
    return this.#allowance(bucket.tokens);
  }

  #filled({ tokens, at }: Bucket, now: number): number {
    return Math.min(this.perSecond, tokens + (Math.max(0, now - at) / 1_000) * this.perSecond);
  }

  /** Takes a token, and tells what is left in header fields. @throws AppError rate_limited */
  async admit(client: string, now: number, setHeader: SetHeader): Promise<void> {
    const { shared } = this;
    const alone = shared === null || shared.trouble !== null;
    this.#announce(alone ? this.take(client, now) : await this.#takeShared(shared, client, now), setHeader);
  }

  async #takeShared(shared: SharedState, client: string, now: number): Promise<Allowance | null> {
    const taken = await shared.take(client, this.perSecond);
    switch (taken.kind) {
      case 'away':
        return this.take(client, now);
      case 'empty':
        return null;
      case 'taken':
        return this.#allowance(taken.remaining);
    }
  }

  #allowance(tokens: number): Allowance {
    const missing = this.perSecond - tokens;
    return { limit: this.perSecond, remaining: Math.floor(tokens), reset: Math.ceil(missing / this.perSecond) };
  }

  /** @throws AppError rate_limited */
  #announce(allowance: Allowance | null, setHeader: SetHeader): void {
    setHeader('RateLimit-Limit', String(this.perSecond));
    setHeader('RateLimit-Remaining', String(allowance?.remaining ?? 0));
    setHeader('RateLimit-Reset', String(allowance?.reset ?? 1));
    if (allowance !== null) return;
    throw new AppError('rate_limited', `More than ${this.perSecond} requests per second; slow down`, {
      retry_after: 1,
    });
  }
}
