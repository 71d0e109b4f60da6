import { all, always, bearer, fieldOr } from '../auth';
import type { Connector } from '../contract';
import { hidden, shown } from '../define';
import { messageAt } from '../http/fault';
import { codeAt, untilIn, worded } from '../http/words';
import { Unusable } from '../unusable';
import { actions } from './actions';

const HOSTS: ReadonlyMap<string, string> = new Map([
  ['us', 'https://api.intercom.io'],
  ['eu', 'https://api.eu.intercom.io'],
  ['au', 'https://api.au.intercom.io'],
]);

export const intercom: Connector = {
  name: 'intercom',
  title: 'Intercom',
  description: 'Contacts and conversations with customers.',
  category: 'support',
  docs: 'https://developers.intercom.com/docs/references/rest-api/api.intercom.io/',
  auth: {
    required: true,
    fields: [
      hidden('token', 'Access token', 'Of an app of yours: Developer Hub, Authentication.', 'dG9rOjAxMjM0NTY3'),
      shown('region', 'Region', 'Where the workspace is kept: `us`, `eu` or `au`.', 'eu', {
        required: false,
        default: 'us',
      }),
    ],
  },
  base(account) {
    const host = HOSTS.get(fieldOr(account, 'region', 'us').toLowerCase());
    if (host === undefined) throw new Unusable('"region" of the connection must be us, eu or au');
    return host;
  },
  sign: all(always({ 'intercom-version': '2.14' }), bearer('token')),
  fault: worded({
    message: [messageAt('errors', 0, 'message')],
    code: codeAt('errors[0].code'),
    wait: untilIn('x-ratelimit-reset'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
