import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';

/** This much of each body counts for nothing, so that large ones never keep ordinary requests out. */
const FREE_BYTES = 64 * 1024;

/** Called with the size of a body as it grows. @throws AppError unavailable when there is no room for it */
export type TakeBytes = (size: number) => void;

/**
 * How many bytes of large bodies are in memory at once. A body is several times its size while it is parsed and stored,
 * and anybody may send some: a handful at a time must not take the process down.
 */
export class BodyBudget {
  #held = 0;

  constructor(private readonly max: number) {}

  /** What one request takes is given back when its answer is over. */
  share(response: ServerResponse): TakeBytes {
    let taken = 0;
    return (size) => {
      const more = size - FREE_BYTES - taken;
      // A connection that is gone has given back already, and would never do so again.
      if (more <= 0 || response.closed) return;
      if (this.#held + more > this.max)
        throw new AppError('unavailable', 'Too many large bodies at once; send this one again later', {
          retry_after: 1,
        });
      if (taken === 0) response.once('close', () => (this.#held -= taken));
      taken += more;
      this.#held += more;
    };
  }
}
