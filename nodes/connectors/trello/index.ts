import { field, withHeaders } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { worded } from '../http/words';
import { actions } from './actions';

export const trello: Connector = {
  name: 'trello',
  title: 'Trello',
  description: 'Boards, lists and cards.',
  category: 'project management',
  docs: 'https://developer.atlassian.com/cloud/trello/rest/',
  auth: {
    required: true,
    fields: [
      hidden('api_key', 'API key', 'Of a Power-Up: trello.com/power-ups/admin.', '0471642aefef5fa1fa76530ce1ba4c85'),
      hidden('token', 'Token', 'What a user has granted to that key.', 'ATTA9eb76d9a9d02b8dd40c2f3e5df18556c'),
    ],
  },
  base: () => 'https://api.trello.com/1',
  // In a header, and not in the URL as well as it could be: URLs are written into logs.
  sign: (request, account) =>
    withHeaders(request, {
      authorization: `OAuth oauth_consumer_key="${field(account, 'api_key')}", oauth_token="${field(account, 'token')}"`,
    }),
  fault: worded({}),
  probe: { action: 'get_me', input: {} },
  actions,
};
