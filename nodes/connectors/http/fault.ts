import { isObject, type Json } from '../../../lib/json';
import { parseRetryAfter } from '../../../lib/retry-after';
import { excerpt } from '../../redaction';
import type { Connector, ConnectorAnswer, ConnectorFault } from '../contract';

/** The provider's own words in an answer: the first text at one of these places. */
export type TextReader = (answer: ConnectorAnswer) => string | null;

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

/** Where most providers write what is wrong. */
const USUAL: readonly TextReader[] = [
  messageAt('error', 'message'),
  messageAt('message'),
  messageAt('error_description'),
  messageAt('errors', 0, 'message'),
  messageAt('detail'),
  messageAt('error'),
];

/** What is wrong by the status of an answer, in the words at the first of these places that has some. */
export function statusFault(answer: ConnectorAnswer, ...places: readonly TextReader[]): ConnectorFault | null {
  const { status } = answer;
  if (status < 300 || status === 304) return null;
  return {
    code: codeOf(status),
    message: status < 400 ? 'sends elsewhere, where credentials do not follow' : wordsIn(answer, places),
    retryable: isPassing(status),
    ...(status === 401 ? { tokenRefused: true } : {}),
  };
}

/** Retryable statuses: time-out, too early, too many, and every failure of the server's own (RFC 9110, 8470, 6585). */
export const isPassing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

/** What is wrong with an answer, by its connector and by its status; null where nothing is. */
export function faultOf(
  { fault }: Pick<Connector, 'fault'>,
  answer: ConnectorAnswer,
  now: number,
): ConnectorFault | null {
  const found = fault?.(answer) ?? statusFault(answer);
  if (found === null || !found.retryable || found.retryAfterMs !== undefined) return found;
  const delay = parseRetryAfter(answer.headers['retry-after'] ?? '', now);
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

function wordsIn(answer: ConnectorAnswer, places: readonly TextReader[]): string {
  for (const words of [...places, ...USUAL]) {
    const message = words(answer);
    if (message !== null) return message;
  }
  const { body } = answer;
  return excerpt((typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)).slice(0, 10_000));
}
