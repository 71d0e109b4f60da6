import { EgressError } from '../../lib/egress';
import { parseRetryAfter } from '../../lib/retry-after';
import { Unusable } from '../connectors/unusable';
import type { NodeHttp, StepError } from '../contract';
import type { Polled } from './contract';

type Response = Awaited<ReturnType<NodeHttp['request']>>;

/** Why a source cannot say what is new. */
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

/** A source that answers what cannot be read: it may be another one by the next time. */
export const unreadable = (message: string): PollFault => new PollFault('unreadable', message, true);

/** Something that its author has to change. */
export const misconfigured = (message: string): PollFault => new PollFault('invalid_config', message, false);

/** More new items than can be read: the oldest are listed last, and start first. */
export const tooMany = (most: number, what: string): PollFault =>
  new PollFault('too_many', `more than ${most} ${what} are new; disable and enable the workflow to begin anew`, false);

/** What the status of an answer means; null for one of success. */
export function statusFault({ status, headers }: Pick<Response, 'status' | 'headers'>, now: number): PollFault | null {
  if (status >= 200 && status < 300) return null;
  const retryable = status === 408 || status === 425 || status === 429 || status >= 500;
  const after = headers['retry-after'];
  const retryAfterMs = typeof after === 'string' ? parseRetryAfter(after, now) : null;
  return new PollFault(`http_${status}`, `the source answered ${status}`, retryable, retryable ? retryAfterMs : null);
}

/** The fault that a poller has thrown. @throws a defect of the poller's code */
export function faultOfThrown(thrown: unknown): Extract<Polled, { kind: 'fault' }> {
  if (thrown instanceof PollFault) {
    const { code, message, retryable, retryAfterMs } = thrown;
    return { kind: 'fault', error: { code, message }, retryable, retryAfterMs };
  }
  if (thrown instanceof Unusable) return faultOfThrown(misconfigured(thrown.message));
  if (!(thrown instanceof EgressError)) throw thrown;
  const error: StepError = { code: `source_${thrown.kind}`, message: thrown.message };
  return { kind: 'fault', error, retryable: thrown.retryable, retryAfterMs: null };
}
