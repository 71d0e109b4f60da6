import { headerKey } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { codeAt, untilIn, worded } from '../http/words';
import { actions } from './actions';

export const clickup: Connector = {
  name: 'clickup',
  title: 'ClickUp',
  description: 'Tasks of lists: find, create, change, comment.',
  category: 'project management',
  docs: 'https://developer.clickup.com/reference',
  auth: {
    required: true,
    fields: [hidden('api_token', 'API token', 'A personal one: Settings, Apps.', 'pk_1234567_0123456789ABCDEF')],
  },
  base: () => 'https://api.clickup.com/api/v2',
  sign: headerKey('authorization', 'api_token'),
  fault: worded({ message: [messageAt('err')], code: codeAt('ECODE'), wait: untilIn('x-ratelimit-reset') }),
  probe: { action: 'get_me', input: {} },
  actions,
};
