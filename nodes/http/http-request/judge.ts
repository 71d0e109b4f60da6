import { parseRetryAfter } from '../../../lib/retry-after';
import type { NodeContext, NodeHttp, Outcome } from '../../contract';
import { done, failFinally } from '../../outcome';
import { excerptOf, readBody } from './body';
import type { HttpRequestInput } from './request';

type Response = Awaited<ReturnType<NodeHttp['request']>>;

/** The outcome for a response. `subject` names the request in messages. */
export async function outcomeOfResponse(
  response: Response,
  config: HttpRequestInput,
  { now, redact: mask, subject }: Pick<NodeContext, 'now' | 'redact'> & { subject: string },
): Promise<Outcome> {
  const { status, headers } = response;
  const contentType = textHeader(headers['content-type']);
  if (status >= 400 && config.fail_on_status !== false) {
    const excerpt = excerptOf(response.body, contentType, mask);
    return {
      kind: 'fail',
      error: { code: 'http_status', message: `${subject} answered ${status}${excerpt && `: ${excerpt}`}` },
      ...retryOf(status, textHeader(headers['retry-after']), now),
    };
  }
  const read = await readBody(response.body, contentType, config.response ?? 'auto');
  return read.kind === 'unreadable'
    ? failFinally('invalid_response', `${subject}: ${read.problem}`)
    : done({ status, headers, body: read.body });
}

/** Retryable statuses: time-out, too early, too many, and every failure of the server's own (RFC 9110, 8470, 6585). */
function retryOf(status: number, retryAfter: string, now: number): { retryable: boolean; retryAfterMs?: number } {
  const retryable = status === 408 || status === 425 || status === 429 || status >= 500;
  const delay = retryable ? parseRetryAfter(retryAfter, now) : null;
  return delay === null ? { retryable } : { retryable, retryAfterMs: delay };
}

const textHeader = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(', ') : (value ?? '');
