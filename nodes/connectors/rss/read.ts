import { type Compute, ComputeError } from '../../../lib/compute';
import type { Feed, FeedSource } from './feed';
import { feedTask } from './parse';

/** `retryable`: the same document may be read later. */
export class FeedError extends Error {
  override readonly name = 'FeedError';

  constructor(
    message: string,
    readonly retryable = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reads RSS, Atom or JSON Feed on a compute thread: a hostile document costs its parser seconds. @throws FeedError */
export async function readFeed(source: FeedSource, compute: Compute, signal: AbortSignal): Promise<Feed> {
  try {
    const { bytes, contentType, url } = source;
    const result = await compute.run(feedTask, { bytes, contentType, url }, { signal });
    if (result.kind === 'feed') return result.feed;
    throw new FeedError(result.message);
  } catch (cause) {
    if (!(cause instanceof ComputeError)) throw cause;
    throw new FeedError(`The feed could not be read: ${cause.message}`, cause.retryable, { cause });
  }
}
