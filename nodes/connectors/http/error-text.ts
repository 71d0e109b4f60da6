import { isObject } from '../../../lib/json';
import { parseRetryAfter } from '../../../lib/retry-after';
import type { ConnectorResponse, ConnectorFault } from '../contract';
import { type TextReader, statusFault } from './fault';
import { bodyAt } from './pages';

/** Where a provider writes its errors. */
interface ErrorFormat {
  /** The message: the first of these that finds a text. */
  readonly message?: readonly TextReader[];
  readonly code?: TextReader;
  /** The delay before a retry, unless there is a Retry-After header. */
  readonly retryAfterMs?: (response: ConnectorResponse) => number | null;
  /** True for errors that are retryable whatever their status. */
  readonly retryable?: (response: ConnectorResponse) => boolean;
}

/** Reads errors by the status of the response, with the message and code of the provider. */
export const faultFrom =
  ({ message = [], code, ...retry }: ErrorFormat) =>
  (response: ConnectorResponse): ConnectorFault | null => {
    const fault = statusFault(response, ...message);
    return fault === null ? null : withDetails(fault, response, code?.(response) ?? null, retry);
  };

/** The same fault with the code of the provider, its delay, and whether it is retryable. */
export function withDetails(
  fault: ConnectorFault,
  response: ConnectorResponse,
  code: string | null,
  { retryAfterMs, retryable: isRetryable }: Pick<ErrorFormat, 'retryAfterMs' | 'retryable'>,
): ConnectorFault {
  const retryable = fault.retryable || isRetryable?.(response) === true;
  const delay = retryable && response.headers['retry-after'] === undefined ? (retryAfterMs?.(response) ?? null) : null;
  return {
    ...fault,
    retryable,
    ...(code === null ? {} : { code }),
    ...(delay === null ? {} : { retryAfterMs: delay }),
  };
}

/** A text or number in the body as an error code. */
export const codeAt =
  (path: string): TextReader =>
  (response) => {
    const code = bodyAt(response, path);
    if (typeof code === 'string') return code === '' ? null : code;
    return typeof code === 'number' && code !== 0 ? String(code) : null;
  };

/** Messages by field: `{"name": ["is missing"]}` becomes `name: is missing`. */
export const fieldErrorsAt =
  (path: string): TextReader =>
  (response) => {
    const fields = bodyAt(response, path);
    if (!isObject(fields)) return null;
    const texts = Object.entries(fields).map(([name, faults]) => `${name}: ${[faults].flat().map(String).join(', ')}`);
    return texts.length === 0 ? null : texts.join('; ');
  };

export const secondsInHeader = (header: string) => (response: ConnectorResponse) =>
  delayOf(Number(response.headers[header] || Number.NaN));

export const secondsInBody = (path: string) => (response: ConnectorResponse) =>
  delayOf(Number(bodyAt(response, path) ?? NaN));

/** The time until an instant in a header, in seconds or milliseconds since 1970, by the clock of the provider (Date). */
export const timeInHeader = (header: string) => (response: ConnectorResponse) => {
  const instant = Number(response.headers[header] || Number.NaN);
  const now = Date.parse(response.headers.date ?? '') / 1_000;
  return delayOf((instant > 1e11 ? instant / 1_000 : instant) - now);
};

const delayOf = (seconds: number): number | null =>
  Number.isFinite(seconds) ? parseRetryAfter(String(Math.max(0, Math.ceil(seconds))), 0) : null;
