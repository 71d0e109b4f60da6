import { createCache } from './cache';

/** Refill rate and capacity of a bucket. */
export interface BucketRate {
  readonly perSecond: number;
  readonly capacity: number;
}

/** The result of taking a token from a shared bucket. */
export type TakeResult = { readonly kind: 'taken'; readonly remaining: number } | { readonly kind: 'empty' | 'away' };

/** Buckets shared by all processes. */
export interface SharedBuckets {
  /** Why they are unavailable; null when they are available. */
  readonly unavailableReason: string | null;
  take(name: string, perSecond: number, capacity: number, cost?: number): Promise<TakeResult>;
}

/** In-memory buckets. The least recently used one is evicted; it is full when it is created again. */
const MAX_BUCKETS = 50_000;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Token buckets by name, shared through Redis. While Redis is unavailable, and for callers that must not wait, each
 * process uses its own. Times are epoch milliseconds.
 */
export class TokenBuckets {
  readonly #buckets = createCache<Bucket>({ max: MAX_BUCKETS });

  constructor(private readonly shared: SharedBuckets | null = null) {}

  /** Takes a token. Returns the number left, or null when the bucket is empty. */
  async take(name: string, rate: BucketRate, now: number): Promise<number | null> {
    const { shared } = this;
    if (shared === null || shared.unavailableReason !== null) return this.takeLocal(name, rate, now);
    const taken = await shared.take(name, rate.perSecond, rate.capacity);
    if (taken.kind === 'away') return this.takeLocal(name, rate, now);
    return taken.kind === 'taken' ? taken.remaining : null;
  }

  /** Charges tokens for completed work. The bucket may go into debt up to its capacity. */
  async charge(name: string, cost: number, rate: BucketRate, now: number): Promise<void> {
    const { shared } = this;
    if (shared !== null && shared.unavailableReason === null) {
      const taken = await shared.take(name, rate.perSecond, rate.capacity, cost);
      if (taken.kind !== 'away') return;
    }
    const bucket = this.#filled(name, rate, now);
    bucket.tokens = Math.max(-rate.capacity, bucket.tokens - cost);
  }

  /** As `take`, with this process's own bucket. */
  takeLocal(name: string, rate: BucketRate, now: number): number | null {
    const bucket = this.#filled(name, rate, now);
    if (bucket.tokens < 1) return null;
    bucket.tokens -= 1;
    return bucket.tokens;
  }

  /** True when this process's own bucket is empty. */
  isEmpty(name: string, rate: BucketRate, now: number): boolean {
    const bucket = this.#buckets.get(name);
    return bucket !== undefined && tokensAt(bucket, rate, now) < 1;
  }

  #filled(name: string, rate: BucketRate, now: number): Bucket {
    const known = this.#buckets.get(name);
    if (known === undefined) {
      const bucket = { tokens: rate.capacity, at: now };
      this.#buckets.set(name, bucket);
      return bucket;
    }
    known.tokens = tokensAt(known, rate, now);
    known.at = now;
    return known;
  }
}

const tokensAt = ({ tokens, at }: Bucket, { perSecond, capacity }: BucketRate, now: number): number =>
  Math.min(capacity, tokens + (Math.max(0, now - at) / 1_000) * perSecond);
