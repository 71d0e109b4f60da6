import { headerKey } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { codeAt, secondsIn, worded } from '../http/words';
import { actions } from './actions';

export const brevo: Connector = {
  name: 'brevo',
  title: 'Brevo',
  description: 'Mails, text messages and contacts.',
  category: 'marketing',
  docs: 'https://developers.brevo.com/reference',
  auth: {
    required: true,
    fields: [hidden('api_key', 'API key', 'Settings, SMTP & API, API keys.', 'xkeysib-0123456789abcdef')],
  },
  base: () => 'https://api.brevo.com/v3',
  sign: headerKey('api-key', 'api_key'),
  fault: worded({ code: codeAt('code'), wait: secondsIn('x-sib-ratelimit-reset') }),
  probe: { action: 'get_account', input: {} },
  actions,
};
