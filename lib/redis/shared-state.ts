import type Redis from 'ioredis';
import type { SharedBuckets, TakeResult } from '../token-bucket';
import { TAKE_TOKEN } from './bucket';
import { Link, type Log } from './link';

/** How long a tombstone rejects values; longer than any read. */
export const TOMBSTONE_MS = 5_000;

/** Rate and capacity of the probe's bucket: it is never empty, so the probe always writes. */
const PROBE_TOKENS = 1_000_000;

/** Tombstone: values are JSON, which is never empty. */
const TOMBSTONE = '';

/**
 * Shared state of a cluster in Redis: cached values and token buckets. Nothing here is the only copy: without Redis
 * each process uses its own state.
 */
export class SharedState implements SharedBuckets {
  readonly #link: Link;

  constructor(options: { readonly url: string; readonly namespace: string; readonly log: Log }) {
    this.#link = new Link({ ...options, prove: (redis) => consumeToken(redis, 'proof', PROBE_TOKENS, PROBE_TOKENS) });
  }

  /** Why Redis is not used, without internal details; null when it is used. */
  get unavailableReason(): string | null {
    return this.#link.unavailableReason;
  }

  /**
   * Takes a token from a bucket with a rate of `perSecond` and a `capacity`; with a `cost`, takes that many
   * unconditionally.
   */
  async take(bucket: string, perSecond: number, capacity = perSecond, cost?: number): Promise<TakeResult> {
    const reply = await this.#link.ask((redis) => consumeToken(redis, bucket, perSecond, capacity, cost));
    if (reply.kind === 'away' || typeof reply.value !== 'number') return { kind: 'away' };
    return reply.value < 0 ? { kind: 'empty' } : { kind: 'taken', remaining: reply.value };
  }

  /** The value of a key; null when it is absent or Redis is unavailable. */
  async read(key: string): Promise<string | null> {
    const reply = await this.#link.ask((redis) => redis.get(key));
    return reply.kind === 'away' || reply.value === TOMBSTONE ? null : reply.value;
  }

  /** Sets a key that is absent and has no tombstone, until an instant in epoch milliseconds. */
  async put(key: string, text: string, until: number): Promise<void> {
    // An instant, not a duration: a paused server may run the command much later.
    await this.#link.ask((redis) => redis.set(key, text, 'PXAT', until, 'NX'));
  }

  /** Replaces a value by a tombstone, which rejects values read before the change. */
  async retire(key: string): Promise<void> {
    await this.#link.ask((redis) => redis.set(key, TOMBSTONE, 'PX', TOMBSTONE_MS));
  }

  close(): void {
    this.#link.close();
  }
}

/** Sends the script each time: it is short, and handling NOSCRIPT would be longer. */
const consumeToken = (
  redis: Redis,
  bucket: string,
  perSecond: number,
  capacity: number,
  cost?: number,
): Promise<unknown> =>
  redis.eval(TAKE_TOKEN, 1, `limit:${bucket}`, perSecond, capacity, ...(cost === undefined ? [] : [cost]));
