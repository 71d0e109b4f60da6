import type { ConnectorResponse, ConnectorFault } from '../contract';
import { isRetryableStatus } from '../http/fault';
import { numberAt, objectAt, textAt } from '../values';

/** Too much at once: of the app, the account, the pair of numbers, and retryable faults of the provider itself. */
const PASSING = new Set([1, 2, 4, 17, 32, 613, 80007, 130429, 131000, 131016, 131048, 131056, 133004]);

/** The token has expired or was revoked. */
const TOKEN = 190;

/** Errors of the Graph API: rate limits and invalid tokens have codes, not statuses. */
export function graphFault({ status, body }: ConnectorResponse): ConnectorFault | null {
  const message = textAt(body, 'error', 'message');
  if (status < 400 || message === undefined) return null;
  const code = numberAt(body, 'error', 'code');
  const details = textAt(body, 'error', 'error_data', 'details');
  return {
    code: code === undefined ? (textAt(body, 'error', 'type') ?? 'refused') : `error_${code}`,
    message: details === undefined ? message : `${message}: ${details}`,
    retryable:
      isRetryableStatus(status) ||
      (code !== undefined && PASSING.has(code)) ||
      objectAt(body, 'error').is_transient === true,
    ...(status === 401 || code === TOKEN ? { tokenRefused: true } : {}),
  };
}

/** The version of the Graph API that these connectors speak. */
export const GRAPH_VERSION = 'v23.0';
