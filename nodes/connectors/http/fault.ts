import { isObject, type Json } from '../../../lib/json';
import { parseRetryAfter } from '../../../lib/retry-after';
import { excerpt } from '../../redaction';
import type { Connector, ConnectorResponse, ConnectorFault } from '../contract';

/** Reads a text from a response; null if there is none. */
export type TextReader = (response: ConnectorResponse) => string | null;

/** A text in the body: `messageAt('errors', 0, 'message')`. */
export const messageAt =
  (...path: readonly (string | number)[]): TextReader =>
  ({ body }) => {
    let value: Json | undefined = body;
    for (const key of path) value = memberOf(value, key);
    return typeof value === 'string' && value.trim() !== '' ? value : null;
  };

function memberOf(value: Json | undefined, key: string | number): Json | undefined {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Where most providers put the error message. */
const COMMON_MESSAGES: readonly TextReader[] = [
  messageAt('error', 'message'),
  messageAt('message'),
  messageAt('error_description'),
  messageAt('errors', 0, 'message'),
  messageAt('detail'),
  messageAt('error'),
];

/** The error by the status of a response. The message is the first text that a reader finds. */
export function statusFault(response: ConnectorResponse, ...readers: readonly TextReader[]): ConnectorFault | null {
  const { status } = response;
  if (status < 300 || status === 304) return null;
  return {
    code: codeOf(status),
    message:
      status < 400
        ? 'the response is a redirect, which is not followed with credentials'
        : messageOf(response, readers),
    retryable: isRetryableStatus(status),
    ...(status === 401 ? { tokenRefused: true } : {}),
  };
}

/** Timeout, too early, too many requests, and server errors (RFC 9110, 8470, 6585). */
export const isRetryableStatus = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

/** The error in a response, by the connector and by the status, with the delay of Retry-After; null if there is none. */
export function faultOf(
  { fault }: Pick<Connector, 'fault'>,
  response: ConnectorResponse,
  now: number,
): ConnectorFault | null {
  const found = fault?.(response) ?? statusFault(response);
  if (found === null || !found.retryable || found.retryAfterMs !== undefined) return found;
  const delay = parseRetryAfter(response.headers['retry-after'] ?? '', now);
  return delay === null ? found : { ...found, retryAfterMs: delay };
}

const CODES: ReadonlyMap<number, string> = new Map([
  [400, 'bad_request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [422, 'unprocessable'],
  [429, 'rate_limited'],
]);

const codeOf = (status: number): string => {
  if (status < 400) return 'redirected';
  return CODES.get(status) ?? (status >= 500 ? 'provider_failed' : 'refused');
};

function messageOf(response: ConnectorResponse, readers: readonly TextReader[]): string {
  for (const read of [...readers, ...COMMON_MESSAGES]) {
    const message = read(response);
    if (message !== null) return message;
  }
  const { body } = response;
  return excerpt((typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)).slice(0, 10_000));
}
