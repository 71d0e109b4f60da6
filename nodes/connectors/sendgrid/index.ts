import { bearer, fieldOr } from '../auth';
import type { Connector } from '../contract';
import { hidden, shown } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt } from '../http/pages';
import { untilIn, worded } from '../http/words';
import { actions } from './actions';

export const sendgrid: Connector = {
  name: 'sendgrid',
  title: 'SendGrid',
  description: 'Mails, contacts and addresses that bounce.',
  category: 'marketing',
  docs: 'https://www.twilio.com/docs/sendgrid/api-reference',
  auth: {
    required: true,
    fields: [
      hidden('api_key', 'API key', 'Settings, API Keys.', 'SG.0123456789abcdef'),
      shown('region', 'Region', '`eu` where the account is kept there; else nothing.', 'eu', { required: false }),
    ],
  },
  base: (account) => (fieldOr(account, 'region') === 'eu' ? 'https://api.eu.sendgrid.com' : 'https://api.sendgrid.com'),
  sign: bearer('api_key'),
  fault: worded({
    message: [
      (answer) => {
        const field = bodyAt(answer, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(answer);
        return message === null || typeof field !== 'string' ? message : `${field}: ${message}`;
      },
    ],
    wait: untilIn('x-ratelimit-reset'),
  }),
  probe: { action: 'list_scopes', input: {} },
  actions,
};
