import { secretField } from '../credentials';
import { bearer } from '../auth';
import { directory } from './directory';
import { messages } from './messages';
import { uploadFile } from './upload';
import { defineConnector } from '../define';
import type { ConnectorResponse, ConnectorFault } from '../contract';
import { objectAt, textAt, textsAt } from '../values';

/** Errors of the access token, which is refreshed if possible. */
const TOKEN = new Set(['invalid_auth', 'token_expired', 'token_revoked', 'not_authed', 'account_inactive']);

const PASSING = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/** Errors have `ok: false` with any status, and a code in `error`. */
function fault({ body }: ConnectorResponse): ConnectorFault | null {
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

/** The Web API of Slack. */
export const chat = defineConnector({
  name: 'chat',
  aliases: ['slack'],
  title: 'Slack',
  description: 'Send and read messages; list channels and users; upload files in Slack.',
  category: 'Communication',
  docs: 'https://docs.slack.dev/reference/methods',

  oauth: {
    provider: 'chat',
    scopes: [
      'chat:write',
      'chat:write.customize',
      'channels:read',
      'channels:history',
      'groups:read',
      'groups:history',
      'im:read',
      'im:write',
      'im:history',
      'mpim:read',
      'mpim:write',
      'mpim:history',
      'users:read',
      'users:read.email',
      'reactions:write',
      'files:write',
    ],
  },
  fields: [
    secretField('access_token', 'Token', 'Bot or user token of an app that is installed in the workspace.', 'xoxb-...'),
  ],
  base: 'https://slack.com/api',
  sign: bearer('access_token'),
  fault,
  connectionTest: 'whoami',
  actions: [...messages, ...directory, uploadFile],
});
