import { isObject } from '../../../lib/json';
import { parseRetryAfter } from '../../../lib/retry-after';
import type { ConnectorAnswer, ConnectorFault } from '../contract';
import { statusFault, type Words } from './fault';
import { bodyAt } from './pages';

/** How a provider says what is wrong. */
interface Manner {
  /** Its sentence: the first of these that has one. */
  readonly message?: readonly Words[];
  /** Its word. */
  readonly code?: Words;
  /** Milliseconds to wait, where it says so in another way than by Retry-After. */
  readonly wait?: (answer: ConnectorAnswer) => number | null;
  /** True for a retryable fault, whatever the status. */
  readonly passing?: (answer: ConnectorAnswer) => boolean;
}

/** What is wrong with an answer by its status, in the provider's words. */
export const worded =
  ({ message = [], code, wait, passing }: Manner) =>
  (answer: ConnectorAnswer): ConnectorFault | null => {
    const fault = statusFault(answer, ...message);
    return fault === null ? null : inItsManner(fault, answer, code?.(answer) ?? null, { wait, passing });
  };

/** The same fault with the provider's word, its delay, and what it regards as passing. */
export function inItsManner(
  fault: ConnectorFault,
  answer: ConnectorAnswer,
  code: string | null,
  { wait, passing }: Pick<Manner, 'wait' | 'passing'>,
): ConnectorFault {
  const retryable = fault.retryable || passing?.(answer) === true;
  const delay = retryable && answer.headers['retry-after'] === undefined ? (wait?.(answer) ?? null) : null;
  return {
    ...fault,
    retryable,
    ...(code === null ? {} : { code }),
    ...(delay === null ? {} : { retryAfterMs: delay }),
  };
}

/** A word or number in the body as a code. */
export const codeAt =
  (path: string): Words =>
  (answer) => {
    const code = bodyAt(answer, path);
    if (typeof code === 'string') return code === '' ? null : code;
    return typeof code === 'number' && code !== 0 ? String(code) : null;
  };

/** Messages of an object of fields: `{"name": ["is missing"]}` is `name: is missing`. */
export const fieldsAt =
  (path: string): Words =>
  (answer) => {
    const fields = bodyAt(answer, path);
    if (!isObject(fields)) return null;
    const texts = Object.entries(fields).map(([name, faults]) => `${name}: ${[faults].flat().map(String).join(', ')}`);
    return texts.length === 0 ? null : texts.join('; ');
  };

/** Seconds in a header, from now. */
export const secondsIn = (header: string) => (answer: ConnectorAnswer) =>
  secondsOf(Number(answer.headers[header] || Number.NaN));

/** Seconds in the body, from now. */
export const secondsAt = (path: string) => (answer: ConnectorAnswer) => secondsOf(Number(bodyAt(answer, path) ?? NaN));

/**
 * An instant in a header, in seconds or milliseconds since 1970: as far off as it is by the clock of who answered, which
 * the Date header tells.
 */
export const untilIn = (header: string) => (answer: ConnectorAnswer) => {
  const instant = Number(answer.headers[header] || Number.NaN);
  const now = Date.parse(answer.headers.date ?? '') / 1_000;
  return secondsOf((instant > 1e11 ? instant / 1_000 : instant) - now);
};

const secondsOf = (seconds: number): number | null =>
  Number.isFinite(seconds) ? parseRetryAfter(String(Math.max(0, Math.ceil(seconds))), 0) : null;
