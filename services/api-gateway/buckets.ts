import type { SharedState } from '../../mixins/redis/shared-state';

/** How buckets fill: so many tokens flow in a second, and so many are held at most. */
export interface Flow {
  readonly perSecond: number;
  readonly capacity: number;
}

/** Buckets remembered; the one not used for longest leaves first, and is full when it comes back. */
const MOST_BUCKETS = 50_000;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Buckets of tokens by name. All gateways take from the same ones where they share a Redis; while it is away, each has
 * its own. Times in epoch milliseconds.
 */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly shared: SharedState | null = null) {}

  /** Takes a token; answers how many are left, or null when there was none. */
  async take(name: string, flow: Flow, now: number): Promise<number | null> {
    const { shared } = this;
    if (shared === null || shared.trouble !== null) return this.takeHere(name, flow, now);
    const taken = await shared.take(name, flow.perSecond, flow.capacity);
    if (taken.kind === 'away') return this.takeHere(name, flow, now);
    return taken.kind === 'taken' ? taken.remaining : null;
  }

  /** The same from a bucket of this process alone. */
  takeHere(name: string, flow: Flow, now: number): number | null {
    const known = this.#buckets.get(name);
    const bucket = known ?? { tokens: flow.capacity, at: now };
    bucket.tokens = filled(bucket, flow, now);
    bucket.at = now;
    // Put at the end again, so that the map's order is the order of last use.
    if (known !== undefined) this.#buckets.delete(name);
    else if (this.#buckets.size >= MOST_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value as string);
    this.#buckets.set(name, bucket);
    if (bucket.tokens < 1) return null;
    bucket.tokens -= 1;
    return bucket.tokens;
  }

  /** Whether a bucket of this process has no token left. */
  isSpent(name: string, flow: Flow, now: number): boolean {
    const bucket = this.#buckets.get(name);
    return bucket !== undefined && filled(bucket, flow, now) < 1;
  }
}

const filled = ({ tokens, at }: Bucket, { perSecond, capacity }: Flow, now: number): number =>
  Math.min(capacity, tokens + (Math.max(0, now - at) / 1_000) * perSecond);
