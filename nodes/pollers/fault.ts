import { EgressError } from '../../lib/egress';
import { parseRetryAfter } from '../../lib/retry-after';
import { InvalidInputError } from '../connectors/invalid-input-error';
import type { NodeHttp, StepError } from '../contract';
import type { Polled } from './contract';

type Response = Awaited<ReturnType<NodeHttp['request']>>;

/** A failed poll. */
export class PollFault extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly retryable: boolean,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
    this.name = 'PollFault';
  }
}

/** An invalid response. Retryable, since the next response may be valid. */
export const unreadable = (message: string): PollFault => new PollFault('unreadable', message, true);

/** An invalid setting, which the author must change. */
export const misconfigured = (message: string): PollFault => new PollFault('invalid_config', message, false);

/** More new items than one poll can read. Sources list the newest first, but the oldest must start first. */
export const tooMany = (max: number, items: string): PollFault =>
  new PollFault('too_many', `more than ${max} ${items} are new; disable and enable the workflow to begin anew`, false);

/** The fault for a status; null for a successful one. */
export function statusFault({ status, headers }: Pick<Response, 'status' | 'headers'>, now: number): PollFault | null {
  if (status >= 200 && status < 300) return null;
  const retryable = status === 408 || status === 425 || status === 429 || status >= 500;
  const after = headers['retry-after'];
  const retryAfterMs = typeof after === 'string' ? parseRetryAfter(after, now) : null;
  return new PollFault(`http_${status}`, `the source answered ${status}`, retryable, retryable ? retryAfterMs : null);
}

/** The result for a fault that a poller has thrown. @throws any other error */
export function faultOfThrown(thrown: unknown): Extract<Polled, { kind: 'fault' }> {
  if (thrown instanceof PollFault) {
    const { code, message, retryable, retryAfterMs } = thrown;
    return { kind: 'fault', error: { code, message }, retryable, retryAfterMs };
  }
  if (thrown instanceof InvalidInputError) return faultOfThrown(misconfigured(thrown.message));
  if (!(thrown instanceof EgressError)) throw thrown;
  const error: StepError = { code: `source_${thrown.kind}`, message: thrown.message };
  return { kind: 'fault', error, retryable: thrown.retryable, retryAfterMs: null };
}
