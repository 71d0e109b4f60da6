import { secretField } from '../credentials';
import { allOf, withDefaultHeaders, bearer } from '../auth';
import type { ConnectorResponse, ConnectorFault } from '../contract';
import { isRetryableStatus } from '../http/fault';
import { textAt } from '../values';
import { items } from './items';
import { pages } from './pages';
import { defineConnector } from '../define';

/** Errors have a code. A conflict of two writers is retryable. */
function fault({ status, body }: ConnectorResponse): ConnectorFault | null {
  const code = textAt(body, 'code');
  if (status < 400 || code === undefined) return null;
  return {
    code,
    message: textAt(body, 'message') ?? code,
    retryable: isRetryableStatus(status) || code === 'conflict_error',
    ...(status === 401 ? { tokenRefused: true } : {}),
  };
}

/** The API of Notion, as it was in its version of 2022-06-28: databases have one source each. */
export const notes = defineConnector({
  name: 'notes',
  aliases: ['notion'],
  title: 'Notion',
  description: 'Manage pages and databases of a Notion workspace.',
  category: 'Productivity',
  docs: 'https://developers.notion.com/reference/intro',

  oauth: { provider: 'notes', scopes: [] },
  fields: [secretField('access_token', 'Token', 'Secret of an integration; pages must be shared with it.', 'ntn_...')],
  base: 'https://api.notion.com',
  sign: allOf(withDefaultHeaders({ 'notion-version': '2022-06-28' }), bearer('access_token')),
  fault,
  connectionTest: 'whoami',
  actions: [...pages, ...items],
});
