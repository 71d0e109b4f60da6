import type Redis from 'ioredis';
import { TAKE_TOKEN } from './bucket';
import { Link, type Log } from './link';

/** How long a retired key refuses values; no reader may put back what it read longer ago. */
export const TOMBSTONE_MS = 5_000;

/** So that the proof always finds a token, and so writes. */
const MANY = 1_000_000;

/** Values are JSON, which is never empty. */
const TOMBSTONE = '';

/** What taking a token from a shared bucket comes to. */
export type Taken = { readonly kind: 'taken'; readonly remaining: number } | { readonly kind: 'empty' | 'away' };

/**
 * What all processes of a cluster know together, in Redis: answers worth sharing, and buckets of tokens. Nothing here
 * is the only copy of anything: without Redis each process goes by what it knows itself.
 */
export class SharedState {
  readonly #link: Link;

  constructor(options: { readonly url: string; readonly namespace: string; readonly log: Log }) {
    this.#link = new Link({ ...options, prove: (redis) => takeToken(redis, 'proof', MANY, MANY) });
  }

  /** What keeps Redis from being used, in words that strangers may read; null when it is used. */
  get trouble(): string | null {
    return this.#link.trouble;
  }

  /** Takes a token from a bucket that gets `perSecond` tokens each second, and holds `capacity` of them. */
  async take(bucket: string, perSecond: number, capacity = perSecond): Promise<Taken> {
    const reply = await this.#link.ask((redis) => takeToken(redis, bucket, perSecond, capacity));
    if (reply.kind === 'away' || typeof reply.value !== 'number') return { kind: 'away' };
    return reply.value < 0 ? { kind: 'empty' } : { kind: 'taken', remaining: reply.value };
  }

  /** The text under a key; null when there is none, or nobody knows. */
  async read(key: string): Promise<string | null> {
    const reply = await this.#link.ask((redis) => redis.get(key));
    return reply.kind === 'away' || reply.value === TOMBSTONE ? null : reply.value;
  }

  /** Puts a text under a key that has none and is not retired, until an instant in milliseconds since the epoch. */
  async put(key: string, text: string, until: number): Promise<void> {
    // An instant, no duration: a paused server may run the command long after we have gone on without it.
    await this.#link.ask((redis) => redis.set(key, text, 'PXAT', until, 'NX'));
  }

  /** Drops what is under a key, and keeps out for a while what readers have read of it before this. */
  async retire(key: string): Promise<void> {
    await this.#link.ask((redis) => redis.set(key, TOMBSTONE, 'PX', TOMBSTONE_MS));
  }

  close(): void {
    this.#link.close();
  }
}

/** The script goes along each time: it is shorter than the care for servers that have forgotten it. */
const takeToken = (redis: Redis, bucket: string, perSecond: number, capacity: number): Promise<unknown> =>
  redis.eval(TAKE_TOKEN, 1, `limit:${bucket}`, perSecond, capacity);
