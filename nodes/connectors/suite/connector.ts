import type { Json } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, ConnectorAnswer, ConnectorFault } from '../contract';
import { isPassing } from '../http/fault';
import { textAt } from '../values';

/** Limits that pass: a status of 403 says so in its reason alone. */
const PASSING = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED', 'backendError']);

/** What is wrong with an answer of an API of the suite (google.rpc.Status, and the older list of errors). */
function fault({ status, body }: ConnectorAnswer): ConnectorFault | null {
  const message = textAt(body, 'error', 'message');
  if (status < 400 || message === undefined) return endedToken(body);
  const code =
    textAt(body, 'error', 'errors', '0', 'reason') ??
    textAt(body, 'error', 'details', '0', 'reason') ??
    textAt(body, 'error', 'status') ??
    `status_${status}`;
  return {
    code,
    message,
    retryable: isPassing(status) || (status === 403 && PASSING.has(code)),
    ...(status === 401 ? { tokenRefused: true } : {}),
  };
}

/** The endpoint that looks at tokens has a form of its own. */
const endedToken = (body: Json): ConnectorFault | null =>
  textAt(body, 'error') === 'invalid_token'
    ? {
        code: 'invalid_token',
        message: textAt(body, 'error_description') ?? 'the token does not count',
        retryable: false,
        tokenRefused: true,
      }
    : null;

type TextReader = Pick<
  Connector,
  'name' | 'aliases' | 'title' | 'description' | 'category' | 'docs' | 'actions' | 'probe'
>;

/** A connector of the suite: they share the account, the token and the form of faults. */
export const suiteConnector = (
  { probe, ...words }: TextReader,
  base: string,
  scopes: readonly string[],
): Connector => ({
  ...words,
  ...(probe === undefined ? {} : { probe }),
  auth: {
    oauth: { provider: 'suite', scopes: scopes.map((scope) => `https://www.googleapis.com/auth/${scope}`) },
    fields: [
      {
        name: 'access_token',
        title: 'Access token',
        description: 'An OAuth access token, which ends after an hour; connect by OAuth for one that is renewed.',
        secret: true,
        required: true,
        example: 'ya29....',
      },
    ],
    required: true,
  },
  base: () => base,
  sign: bearer('access_token'),
  fault,
});
