import { basic, field } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt } from '../http/pages';
import { codeAt, worded } from '../http/words';
import { Unusable } from '../unusable';
import { actions } from './actions';

/** Where the account is kept stands behind the key: `...-us6`. */
const CENTER = /-([a-z]{2,4}\d{1,3})$/;

export const mailchimp: Connector = {
  name: 'mailchimp',
  title: 'Mailchimp',
  description: 'Audiences, their members and tags.',
  category: 'marketing',
  docs: 'https://mailchimp.com/developer/marketing/api/',
  auth: {
    required: true,
    fields: [hidden('api_key', 'API key', 'Account, Extras, API keys; with its end.', '0123456789abcdef-us6')],
  },
  base(account) {
    const center = CENTER.exec(field(account, 'api_key'))?.[1];
    if (center === undefined) throw new Unusable('"api_key" of the connection must end like -us6');
    return `https://${center}.api.mailchimp.com/3.0`;
  },
  sign: (request, account) =>
    basic('user', 'api_key')(request, { credentials: { ...account.credentials, user: 'everstep' } }),
  fault: worded({
    message: [
      (answer) => {
        const wrong = bodyAt(answer, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(answer);
        return message === null ? null : `${String(wrong ?? 'request')}: ${message}`;
      },
      messageAt('detail'),
    ],
    code: codeAt('title'),
  }),
  probe: { action: 'ping', input: {} },
  actions,
};
