import { basic } from '../auth';
import type { Connector } from '../contract';
import { hidden, site } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

export const freshdesk: Connector = {
  name: 'freshdesk',
  title: 'Freshdesk',
  description: 'Tickets and contacts of the support desk.',
  category: 'support',
  docs: 'https://developers.freshdesk.com/api/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of your Freshdesk.', 'https://acme.freshdesk.com'),
      hidden('api_key', 'API key', 'Profile settings, under the picture.', 'BhB6bgm7wXyZ01234567'),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/api/v2`,
  // The key is the name; a password is asked for, but not looked at.
  sign: basic('api_key', { text: 'X' }),
  fault: worded({
    message: [
      (answer) => {
        const field = bodyAt(answer, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(answer);
        return message === null ? null : `${String(field ?? 'request')}: ${message}`;
      },
      messageAt('message'),
      messageAt('description'),
    ],
    code: codeAt('code'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
