import { backoffMs } from '../../../../lib/backoff';
import { AppError, errorCode } from '../../../../lib/errors';
import type { Clock } from '../../../../lib/clock';

export interface RequestOptions {
  readonly clock: Clock;
  readonly maxAttempts: number;
}

const RETRY = { firstMs: 200, maxMs: 2_000 };

/** A failed request. `status` is null if no response arrived. */
interface RequestFailure {
  readonly status: number | null;
  readonly retryable: boolean;
  readonly reason: string;
}

/**
 * Sends an idempotent request and retries retryable failures.
 * @throws AppError unavailable, with a message that contains no address or key
 */
export async function send<T>({ clock, maxAttempts }: RequestOptions, request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (thrown) {
      if (errorCode(thrown) !== undefined) throw thrown;
      const { retryable, reason } = classify(thrown);
      if (!retryable || attempt >= maxAttempts)
        throw new AppError('unavailable', `Qdrant ${reason}`, {}, { cause: thrown });
      await new Promise<void>((resolve) => clock.after(backoffMs(RETRY, attempt, Math.random()), resolve));
    }
  }
}

/** Like `send`, but resolves to null for 404. */
export async function sendOrNull<T>(options: RequestOptions, request: () => Promise<T>): Promise<T | null> {
  return send(options, async () => {
    try {
      return await request();
    } catch (thrown) {
      if (statusOf(thrown) === 404) return null;
      throw thrown;
    }
  });
}

/** HTTP status of an error of the client; null if no response arrived. */
export function statusOf(thrown: unknown): number | null {
  if (typeof thrown !== 'object' || thrown === null) return null;
  if ('status' in thrown && typeof thrown.status === 'number') return thrown.status;
  // The client throws this class, without a status, for a 429 with Retry-After.
  return thrown.constructor.name === 'QdrantClientResourceExhaustedError' ? 429 : null;
}

function classify(thrown: unknown): RequestFailure {
  const status = statusOf(thrown);
  if (status === 401 || status === 403)
    return { status, retryable: false, reason: 'rejected the API key (QDRANT_API_KEY)' };
  if (status !== null)
    return { status, retryable: status === 408 || status === 429 || status >= 500, reason: `answered ${status}` };
  const isTimeout = thrown instanceof Error && thrown.constructor.name === 'QdrantClientTimeoutError';
  return { status, retryable: true, reason: isTimeout ? 'did not answer in time' : 'cannot be reached' };
}
