import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';

/**
 * Limits concurrent uploads; each holds a permit until its request is answered. A tenant has at most as many as are left for
 * others, so that one tenant with uploads that never end does not block the others.
 */
export class UploadLimiter {
  readonly #held = new Map<string, number>();
  #left: number;

  constructor(max: number) {
    this.#left = max;
  }

  /** @throws AppError unavailable */
  take(tenantId: string, response: ServerResponse): void {
    // A connection that is gone would never give its place back.
    if (response.closed) return;
    if (this.#of(tenantId) >= this.#left)
      throw new AppError('unavailable', 'Too many files are coming in at once; send this one again later', {
        retry_after: 1,
      });
    this.#hold(tenantId, 1);
    response.once('close', () => this.#hold(tenantId, -1));
  }

  #of(tenantId: string): number {
    return this.#held.get(tenantId) ?? 0;
  }

  #hold(tenantId: string, more: 1 | -1): void {
    const held = this.#of(tenantId) + more;
    this.#left -= more;
    if (held === 0) this.#held.delete(tenantId);
    else this.#held.set(tenantId, held);
  }
}
