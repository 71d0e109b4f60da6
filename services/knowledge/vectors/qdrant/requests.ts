import { backoffMs } from '../../../../lib/backoff';
import { AppError, errorCode } from '../../../../lib/errors';
import type { Clock } from '../../../../lib/clock';

/** What `ask` needs. */
export interface RequestKind {
  readonly clock: Clock;
  readonly tries: number;
}

const RETRY = { firstMs: 200, maxMs: 2_000 };

/** A fault of Qdrant, or on the way there. `status`: what it answered, if it did. */
interface Fault {
  readonly status: number | null;
  readonly retryable: boolean;
  readonly reason: string;
}

/**
 * What Qdrant answers; asked again where that may help, as every request can be repeated.
 * @throws AppError unavailable when it cannot be had, in words without addresses and keys
 */
export async function ask<T>({ clock, tries }: RequestKind, request: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await request();
    } catch (thrown) {
      if (errorCode(thrown) !== undefined) throw thrown;
      const { retryable, reason } = faultOf(thrown);
      if (!retryable || n >= tries) throw new AppError('unavailable', `Qdrant ${reason}`, {}, { cause: thrown });
      await new Promise<void>((resolve) => clock.after(backoffMs(RETRY, n, Math.random()), resolve));
    }
  }
}

/** The same, but null where what is asked about is not there. */
export async function askIfThere<T>(requestKind: RequestKind, request: () => Promise<T>): Promise<T | null> {
  return ask(requestKind, async () => {
    try {
      return await request();
    } catch (thrown) {
      if (statusOf(thrown) === 404) return null;
      throw thrown;
    }
  });
}

/** The status that a fault of the client carries, however it names it; null for what did not come to an answer. */
export function statusOf(thrown: unknown): number | null {
  if (typeof thrown !== 'object' || thrown === null) return null;
  if ('status' in thrown && typeof thrown.status === 'number') return thrown.status;
  // With a Retry-After the client tells it apart, and leaves the status out.
  return thrown.constructor.name === 'QdrantClientResourceExhaustedError' ? 429 : null;
}

function faultOf(thrown: unknown): Fault {
  const status = statusOf(thrown);
  if (status === 401 || status === 403) return { status, retryable: false, reason: 'refuses the key (QDRANT_API_KEY)' };
  if (status !== null)
    return { status, retryable: status === 408 || status === 429 || status >= 500, reason: `answered ${status}` };
  const isLate = thrown instanceof Error && thrown.constructor.name === 'QdrantClientTimeoutError';
  return { status, retryable: true, reason: isLate ? 'has not answered in time' : 'cannot be reached' };
}
