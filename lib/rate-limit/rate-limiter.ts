import { AppError } from '../errors';
import { type BucketRate, TokenBuckets } from '../token-bucket';

export type SetHeader = (name: string, value: string) => void;

/** Limits requests per second and client. A client may accumulate the tokens of one second. */
export class RateLimiter {
  readonly #rate: BucketRate;

  constructor(
    private readonly perSecond: number,
    private readonly buckets = new TokenBuckets(),
  ) {
    this.#rate = { perSecond, capacity: perSecond };
  }

  /** True when the client has no token left in this process. */
  isExhausted(client: string, now: number): boolean {
    return this.buckets.isEmpty(client, this.#rate, now);
  }

  /** Takes a token of this process, if there is one. */
  takeLocal(client: string, now: number): void {
    this.buckets.takeLocal(client, this.#rate, now);
  }

  /** Takes a token, and sets the RateLimit header fields. @throws AppError rate_limited */
  async admit(client: string, now: number, setHeader?: SetHeader): Promise<void> {
    const tokens = await this.buckets.take(client, this.#rate, now);
    if (setHeader !== undefined) this.#describe(tokens ?? 0, setHeader);
    if (tokens !== null) return;
    throw new AppError('rate_limited', `More than ${this.perSecond} requests per second; slow down`, {
      retry_after: 1,
    });
  }

  /** Takes tokens for work that is already done. */
  charge(client: string, cost: number, now: number): Promise<void> {
    return this.buckets.charge(client, cost, this.#rate, now);
  }

  #describe(tokens: number, setHeader: SetHeader): void {
    setHeader('RateLimit-Limit', String(this.perSecond));
    setHeader('RateLimit-Remaining', String(Math.floor(tokens)));
    setHeader('RateLimit-Reset', String(Math.ceil((this.perSecond - tokens) / this.perSecond)));
  }
}
