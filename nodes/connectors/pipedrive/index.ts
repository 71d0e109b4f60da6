import { headerKey } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { secondsIn, worded } from '../http/words';
import { actions } from './actions';

export const pipedrive: Connector = {
  name: 'pipedrive',
  title: 'Pipedrive',
  description: 'Deals, persons and notes of the CRM.',
  category: 'crm',
  docs: 'https://developers.pipedrive.com/docs/api/v1',
  auth: {
    required: true,
    fields: [
      hidden('api_token', 'API token', 'Personal preferences, API.', '0123456789abcdef0123456789abcdef01234567'),
    ],
  },
  base: () => 'https://api.pipedrive.com',
  sign: headerKey('x-api-token', 'api_token'),
  fault: worded({ message: [messageAt('error')], wait: secondsIn('x-ratelimit-reset') }),
  probe: { action: 'get_me', input: {} },
  actions,
};
