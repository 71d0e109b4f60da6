import { isObject } from '../../../lib/json';
import { parseRetryAfter } from '../../../lib/retry-after';
import type { ConnectorAnswer, ConnectorFault } from '../contract';
import { type TextReader, statusFault } from './fault';
import { bodyAt } from './pages';

/** Where a provider writes its errors. */
interface ErrorFormat {
  /** The message: the first of these that finds a text. */
  readonly message?: readonly TextReader[];
  readonly code?: TextReader;
  /** The delay before a retry, unless there is a Retry-After header. */
  readonly retryAfterMs?: (answer: ConnectorAnswer) => number | null;
  /** True for errors that are retryable whatever their status. */
  readonly retryable?: (answer: ConnectorAnswer) => boolean;
}

/** Reads errors by the status of the response, with the message and code of the provider. */
export const faultFrom =
  ({ message = [], code, ...retry }: ErrorFormat) =>
  (answer: ConnectorAnswer): ConnectorFault | null => {
    const fault = statusFault(answer, ...message);
    return fault === null ? null : withDetails(fault, answer, code?.(answer) ?? null, retry);
  };

/** The same fault with the code of the provider, its delay, and whether it is retryable. */
export function withDetails(
  fault: ConnectorFault,
  answer: ConnectorAnswer,
  code: string | null,
  { retryAfterMs, retryable: isRetryable }: Pick<ErrorFormat, 'retryAfterMs' | 'retryable'>,
): ConnectorFault {
  const retryable = fault.retryable || isRetryable?.(answer) === true;
  const delay = retryable && answer.headers['retry-after'] === undefined ? (retryAfterMs?.(answer) ?? null) : null;
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
  (answer) => {
    const code = bodyAt(answer, path);
    if (typeof code === 'string') return code === '' ? null : code;
    return typeof code === 'number' && code !== 0 ? String(code) : null;
  };

/** Messages by field: `{"name": ["is missing"]}` becomes `name: is missing`. */
export const fieldErrorsAt =
  (path: string): TextReader =>
  (answer) => {
    const fields = bodyAt(answer, path);
    if (!isObject(fields)) return null;
    const texts = Object.entries(fields).map(([name, faults]) => `${name}: ${[faults].flat().map(String).join(', ')}`);
    return texts.length === 0 ? null : texts.join('; ');
  };

export const secondsInHeader = (header: string) => (answer: ConnectorAnswer) =>
  delayOf(Number(answer.headers[header] || Number.NaN));

export const secondsInBody = (path: string) => (answer: ConnectorAnswer) =>
  delayOf(Number(bodyAt(answer, path) ?? NaN));

/** The time until an instant in a header, in seconds or milliseconds since 1970, by the clock of the provider (Date). */
export const timeInHeader = (header: string) => (answer: ConnectorAnswer) => {
  const instant = Number(answer.headers[header] || Number.NaN);
  const now = Date.parse(answer.headers.date ?? '') / 1_000;
  return delayOf((instant > 1e11 ? instant / 1_000 : instant) - now);
};

const delayOf = (seconds: number): number | null =>
  Number.isFinite(seconds) ? parseRetryAfter(String(Math.max(0, Math.ceil(seconds))), 0) : null;
