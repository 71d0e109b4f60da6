/** Keys remembered; the one that came first leaves first, and starts with a full bucket when it comes back. */
const MOST_KEYS = 20_000;

/** A bucket of tokens for each key: `burst` at once, and `perSecond` from then on. */
export class Quota {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
  ) {}

  /** Takes a token; false when there is none left. */
  take(key: string, now: number): boolean {
    const known = this.#buckets.get(key);
    if (known === undefined) {
      if (this.#buckets.size >= MOST_KEYS) this.#buckets.delete(this.#buckets.keys().next().value as string);
      this.#buckets.set(key, { tokens: this.burst - 1, at: now });
      return true;
    }
    const flowed = (Math.max(0, now - known.at) / 1_000) * this.perSecond;
    known.tokens = Math.min(this.burst, known.tokens + flowed);
    known.at = now;
    if (known.tokens < 1) return false;
    known.tokens -= 1;
    return true;
  }
}
