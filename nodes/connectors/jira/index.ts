import { basic } from '../auth';
import type { Connector } from '../contract';
import { hidden, shown, site } from '../define';
import { messageAt } from '../http/fault';
import { siteOf } from '../http/site';
import { fieldsAt, worded } from '../http/words';
import { actions } from './actions';

export const jira: Connector = {
  name: 'jira',
  title: 'Jira',
  description: 'Issues of Jira Cloud: search, create, change, comment, move through their workflow.',
  category: 'project management',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/rest/v3/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Where your Jira is.', 'https://acme.atlassian.net'),
      shown('email', 'E-mail address', 'Of the account.', 'ada@example.com', { format: 'email' }),
      hidden('api_token', 'API token', 'Made under id.atlassian.com, Security.', 'ATATT3xFfGF0abcdef'),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/rest/api/3`,
  sign: basic('email', 'api_token'),
  fault: worded({ message: [messageAt('errorMessages', 0), fieldsAt('errors')] }),
  probe: { action: 'get_me', input: {} },
  actions,
};
