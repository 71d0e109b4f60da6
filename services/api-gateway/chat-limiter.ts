import { AppError } from '../../lib/errors';
import type { TokenBuckets } from '../../lib/token-bucket';
import type { ChatEndpoint } from '../../contracts/channels/chat';

/** Replies of one chat in progress in one gateway. */
const MAX_IN_PROGRESS = 50;
const RETRY_AFTER_SECONDS = 5;

type Paced = Pick<ChatEndpoint, 'id' | 'rate_limit'>;

/** Limits the messages and the concurrent replies of a chat: its visitors are anonymous, and each message starts a run. */
export class ChatLimiter {
  readonly #inProgress = new Map<string, number>();

  constructor(private readonly buckets: TokenBuckets) {}

  /** Counts a message of a sender: an address, or a conversation. @throws AppError rate_limited */
  async admit({ id, rate_limit: { per_minute, burst } }: Paced, from: string, now: number): Promise<void> {
    const rate = { perSecond: per_minute / 60, capacity: burst };
    if ((await this.buckets.take(`chat:${id}:${from}`, rate, now)) !== null) return;
    throw new AppError('rate_limited', `More than ${per_minute} messages a minute; wait a moment`, {
      retry_after: Math.ceil(60 / per_minute),
    });
  }

  /** Acquires a permit; returns its release. @throws AppError unavailable when all are in use */
  acquire({ id }: Pick<ChatEndpoint, 'id'>): () => void {
    const inProgress = this.#inProgress.get(id) ?? 0;
    if (inProgress >= MAX_IN_PROGRESS)
      throw new AppError('unavailable', 'Too many are talking here at once; try again in a moment', {
        retry_after: RETRY_AFTER_SECONDS,
      });
    this.#inProgress.set(id, inProgress + 1);
    return () => {
      const left = (this.#inProgress.get(id) ?? 1) - 1;
      if (left === 0) this.#inProgress.delete(id);
      else this.#inProgress.set(id, left);
    };
  }
}
