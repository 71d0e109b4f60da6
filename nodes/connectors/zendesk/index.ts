import { bearer, field, fieldOr, withHeaders } from '../auth';
import type { Connector } from '../contract';
import { hidden, shown, site } from '../define';
import { messageAt } from '../http/fault';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

export const zendesk: Connector = {
  name: 'zendesk',
  title: 'Zendesk',
  description: 'Tickets and users of the support desk.',
  category: 'support',
  docs: 'https://developer.zendesk.com/api-reference/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of your Zendesk.', 'https://acme.zendesk.com'),
      hidden(
        'token',
        'Access token',
        'Of OAuth: of a client of your own, Admin Center, Apps and integrations, APIs.',
        'gErypPlm4dOVgGRvA1ZzMH5MQ3nLo8bo',
        {
          required: false,
        },
      ),
      shown('email', 'E-mail address', 'Of an agent, for an API token instead.', 'ada@example.com', {
        format: 'email',
        required: false,
      }),
      hidden(
        'api_token',
        'API token',
        'One that is there: Zendesk makes no new ones, and takes none from 30 April 2027.',
        '6wiIBWbGkBMo1mRDMuVwkw1EPsNkeUj95PIz2akv',
        {
          required: false,
        },
      ),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/api/v2`,
  sign(request, account) {
    if (fieldOr(account, 'token') !== '') return bearer('token')(request, account);
    const pair = `${field(account, 'email')}/token:${field(account, 'api_token')}`;
    return withHeaders(request, { authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
  },
  fault: worded({
    message: [messageAt('description'), messageAt('error', 'message')],
    code: (answer) => codeAt('error.title')(answer) ?? codeAt('error')(answer),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
