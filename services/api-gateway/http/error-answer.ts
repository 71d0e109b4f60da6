import { type ErrorCode, type ErrorData, errorCode, ERRORS } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import type { Answer } from './answer';

/** What Moleculer's own errors mean to a client, by their `type`. */
const FRAMEWORK: Readonly<Record<string, { code: ErrorCode; message: string; retryAfter?: number }>> = {
  SERVICE_NOT_FOUND: { code: 'unavailable', message: 'A part of the service is not ready; try again', retryAfter: 1 },
  SERVICE_NOT_AVAILABLE: {
    code: 'unavailable',
    message: 'A part of the service is not ready; try again',
    retryAfter: 1,
  },
  REQUEST_REJECTED: { code: 'unavailable', message: 'The request was cut off inside; try again', retryAfter: 1 },
  QUEUE_FULL: { code: 'unavailable', message: 'The service is over capacity; try again', retryAfter: 1 },
  REQUEST_TIMEOUT: { code: 'timed_out', message: 'The request took too long; it may still take effect' },
  REQUEST_SKIPPED: { code: 'timed_out', message: 'The request took too long; it may still take effect' },
  NOT_FOUND: { code: 'not_found', message: 'There is nothing at this path' },
};

/** Without the text of the provider, or of the way to it: that may name internal addresses. */
const PROVIDER_FAILED = 'The provider was not reached, or did not answer as it should; try again later';

const HIDDEN = 'Something went wrong on our side';

/** The response for a thrown value: the message of an AppError, and no detail of any other error. */
export function errorAnswer(
  thrown: unknown,
  requestId: string,
  audience: 'public' | 'signed in' = 'signed in',
): Answer & { code: ErrorCode } {
  const own = errorCode(thrown);
  const type = isObject(thrown) && typeof thrown.type === 'string' ? thrown.type : '';
  const framework = Object.hasOwn(FRAMEWORK, type) ? FRAMEWORK[type] : undefined;
  const code = own ?? framework?.code ?? 'internal';
  const data: ErrorData = own !== undefined && isObject(thrown) && isObject(thrown.data) ? thrown.data : {};
  const message =
    code === 'provider_failed' && audience === 'public'
      ? PROVIDER_FAILED
      : (ownMessage(thrown) ?? framework?.message ?? HIDDEN);
  return {
    code,
    status: ERRORS[code].status,
    headers: headersOf(code, data.retry_after ?? framework?.retryAfter),
    body: {
      ...data.body,
      error: message,
      code,
      ...(data.details === undefined ? {} : { details: data.details }),
      request_id: requestId,
    },
  };
}

/** The text of an error of ours that is meant for clients. */
function ownMessage(thrown: unknown): string | undefined {
  const code = errorCode(thrown);
  return code === undefined || code === 'internal' ? undefined : (thrown as Error).message;
}

/** Sent with `unavailable` where no better time is known. */
const DEFAULT_RETRY_AFTER_S = 1;

const headersOf = (
  code: ErrorCode,
  retryAfter = code === 'unavailable' ? DEFAULT_RETRY_AFTER_S : undefined,
): Record<string, string> => ({
  ...(retryAfter === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
  ...(code === 'unauthenticated' ? { 'WWW-Authenticate': 'Bearer' } : {}),
});
