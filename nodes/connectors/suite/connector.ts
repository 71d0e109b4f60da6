import type { Json } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, ConnectorResponse, ConnectorFault } from '../contract';
import { secretField } from '../credentials';
import { defineConnector } from '../define';
import { isRetryableStatus } from '../http/fault';
import { textAt } from '../values';

/** Reasons of retryable responses, which may have the status 403. */
const RETRYABLE = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED', 'backendError']);

/** Reads errors of the suite's APIs (google.rpc.Status, and the older list of errors). */
function fault({ status, body }: ConnectorResponse): ConnectorFault | null {
  const message = textAt(body, 'error', 'message');
  if (status < 400 || message === undefined) return invalidToken(body);
  const code =
    textAt(body, 'error', 'errors', '0', 'reason') ??
    textAt(body, 'error', 'details', '0', 'reason') ??
    textAt(body, 'error', 'status') ??
    `status_${status}`;
  return {
    code,
    message,
    retryable: isRetryableStatus(status) || (status === 403 && RETRYABLE.has(code)),
    ...(status === 401 ? { tokenRefused: true } : {}),
  };
}

/** The token information endpoint has an error format of its own. */
const invalidToken = (body: Json): ConnectorFault | null =>
  textAt(body, 'error') === 'invalid_token'
    ? {
        code: 'invalid_token',
        message: textAt(body, 'error_description') ?? 'the token does not count',
        retryable: false,
        tokenRefused: true,
      }
    : null;

type Metadata = Pick<
  Connector,
  'name' | 'aliases' | 'title' | 'description' | 'category' | 'docs' | 'actions' | 'connectionTest'
>;

/** A connector of the suite: all have the same account, token and error format. */
export const suiteConnector = (metadata: Metadata, base: string, scopes: readonly string[]): Connector =>
  defineConnector({
    ...metadata,
    oauth: { provider: 'suite', scopes: scopes.map((scope) => `https://www.googleapis.com/auth/${scope}`) },
    fields: [
      secretField(
        'access_token',
        'Access token',
        'OAuth access token, valid for one hour; connect with OAuth for automatic refresh.',
        'ya29....',
      ),
    ],
    base,
    sign: bearer('access_token'),
    fault,
  });
