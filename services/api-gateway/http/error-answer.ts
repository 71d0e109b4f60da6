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

const HIDDEN = 'Something went wrong on our side';

/** How a thrown value is told to the client: our own errors in their words, everything else without a word of detail. */
export function errorAnswer(thrown: unknown, requestId: string): Answer & { code: ErrorCode } {
  const own = errorCode(thrown);
  const type = isObject(thrown) && typeof thrown.type === 'string' ? thrown.type : '';
  const framework = Object.hasOwn(FRAMEWORK, type) ? FRAMEWORK[type] : undefined;
  const code = own ?? framework?.code ?? 'internal';
  const data: ErrorData = own !== undefined && isObject(thrown) && isObject(thrown.data) ? thrown.data : {};
  const message = own !== undefined && own !== 'internal' ? (thrown as Error).message : (framework?.message ?? HIDDEN);
  const retryAfter = data.retry_after ?? framework?.retryAfter;
  return {
    code,
    status: ERRORS[code].status,
    headers: {
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
      ...(code === 'unauthenticated' ? { 'WWW-Authenticate': 'Bearer' } : {}),
    },
    body: {
      ...data.body,
      error: message,
      code,
      ...(data.details === undefined ? {} : { details: data.details }),
      request_id: requestId,
    },
  };
}
