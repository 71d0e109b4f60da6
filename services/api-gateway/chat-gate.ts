import { AppError } from '../../lib/errors';
import type { SharedState } from '../../mixins/redis/shared-state';
import type { ChatDoor } from '../channels/contract';
import { Buckets } from './buckets';

/** Replies of one chat that are being made for visitors of one gateway. */
const MOST_AT_ONCE = 50;
const RETRY_AFTER_SECONDS = 5;

type Paced = Pick<ChatDoor, 'id' | 'rate_limit'>;

/** How many visitors a chat lets in, and how often: nobody knows who they are, and each message starts a run. */
export class ChatGate {
  readonly #buckets: Buckets;
  readonly #inside = new Map<string, number>();

  constructor(shared: SharedState | null) {
    this.#buckets = new Buckets(shared);
  }

  /** Counts a message for whom it comes from: an address, or a conversation. @throws AppError rate_limited */
  async admit({ id, rate_limit: { per_minute, burst } }: Paced, from: string, now: number): Promise<void> {
    const flow = { perSecond: per_minute / 60, capacity: burst };
    if ((await this.#buckets.take(`chat:${id}:${from}`, flow, now)) !== null) return;
    throw new AppError('rate_limited', `More than ${per_minute} messages a minute; wait a moment`, {
      retry_after: Math.ceil(60 / per_minute),
    });
  }

  /** Takes a place; call the answer when the reply is there. @throws AppError unavailable when all are taken */
  enter({ id }: Pick<ChatDoor, 'id'>): () => void {
    const inside = this.#inside.get(id) ?? 0;
    if (inside >= MOST_AT_ONCE)
      throw new AppError('unavailable', 'Too many are talking here at once; try again in a moment', {
        retry_after: RETRY_AFTER_SECONDS,
      });
    this.#inside.set(id, inside + 1);
    return () => {
      const left = (this.#inside.get(id) ?? 1) - 1;
      if (left === 0) this.#inside.delete(id);
      else this.#inside.set(id, left);
    };
  }
}
