import type { ConnectorResponse, ConnectorFault } from '../contract';
import { objectAt, textAt, textsAt } from '../values';

/** Another access token may do; who has none that can be renewed learns that this one counts no more. */
const TOKEN = new Set(['invalid_auth', 'token_expired', 'token_revoked', 'not_authed', 'account_inactive']);

const PASSING = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/** The provider's faults: `ok` is false in a response of whatever status, and `error` says why. */
export function fault({ body }: ConnectorResponse): ConnectorFault | null {
  const { ok } = objectAt(body);
  const code = textAt(body, 'error');
  // Who reacts twice has reacted.
  if (ok !== false || code === undefined || code === 'already_reacted') return null;
  const needed = textAt(body, 'needed');
  const reasons = textsAt(body, 'response_metadata', 'messages');
  const words = [code, ...(needed === undefined ? [] : [`the connection lacks the scope ${needed}`]), ...reasons];
  return {
    code,
    message: words.join('; '),
    retryable: PASSING.has(code),
    ...(TOKEN.has(code) ? { tokenRefused: true } : {}),
  };
}
