import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden, site } from '../define';
import { messageAt } from '../http/fault';
import { siteOf } from '../http/site';
import { codeAt, fieldsAt, untilIn, worded } from '../http/words';
import { actions } from './actions';

const HOME = 'https://sentry.io';

export const sentry: Connector = {
  name: 'sentry',
  title: 'Sentry',
  description: 'Errors of your programs, and releases.',
  category: 'operations',
  docs: 'https://docs.sentry.io/api/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Where Sentry runs, or the region of the organization.', 'https://de.sentry.io', {
        required: false,
        default: HOME,
      }),
      hidden('token', 'Auth token', 'Settings, Custom integrations or Personal tokens.', 'sntryu_0123456789abcdef'),
    ],
  },
  base: (account) => `${siteOf(account, 'url', HOME)}/api/0`,
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('detail'), messageAt('detail', 'message'), fieldsAt('')],
    code: codeAt('detail.code'),
    wait: untilIn('x-sentry-rate-limit-reset'),
  }),
  probe: { action: 'list_organizations', input: { limit: 1 } },
  actions,
};
