import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden, site } from '../define';
import { messageAt } from '../http/fault';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

const HOME = 'https://api.typeform.com';

export const typeform: Connector = {
  name: 'typeform',
  title: 'Typeform',
  description: 'Forms and what people answered.',
  category: 'forms',
  docs: 'https://www.typeform.com/developers/',
  auth: {
    required: true,
    fields: [
      hidden('token', 'Personal token', 'Account, Personal tokens.', 'tfp_0123456789abcdef'),
      site(
        'url',
        'Address of the API',
        'Of the European centre where your account is kept there.',
        'https://api.eu.typeform.com',
        {
          required: false,
          default: HOME,
        },
      ),
    ],
  },
  base: (account) => siteOf(account, 'url', HOME),
  sign: bearer('token'),
  fault: worded({ message: [messageAt('description')], code: codeAt('code') }),
  // Tokens that may only read forms and responses are not told whose they are.
  probe: { action: 'list_forms', input: { limit: 1 } },
  actions,
};
