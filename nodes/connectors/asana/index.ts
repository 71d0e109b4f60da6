import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { worded } from '../http/words';
import { messageAt } from '../http/fault';
import { actions } from './actions';

export const asana: Connector = {
  name: 'asana',
  title: 'Asana',
  description: 'Tasks and projects: list, create, change, comment.',
  category: 'project management',
  docs: 'https://developers.asana.com/reference/rest-api-reference',
  auth: {
    required: true,
    fields: [
      hidden('token', 'Access token', 'A personal one, of the developer console.', '2/1199999999/120:0123456789'),
    ],
  },
  base: () => 'https://app.asana.com/api/1.0',
  sign: bearer('token'),
  fault: worded({ message: [messageAt('errors', 0, 'message')] }),
  probe: { action: 'get_me', input: {} },
  actions,
};
