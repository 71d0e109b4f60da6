import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { codeAt, secondsAt, worded } from '../http/words';
import { actions } from './actions';

export const todoist: Connector = {
  name: 'todoist',
  title: 'Todoist',
  description: 'Tasks and projects: list, create, change, complete, comment.',
  category: 'productivity',
  docs: 'https://developer.todoist.com/api/v1/',
  auth: {
    required: true,
    fields: [
      hidden('api_token', 'API token', 'Settings, Integrations, Developer.', '0123456789abcdef0123456789abcdef'),
    ],
  },
  base: () => 'https://api.todoist.com/api/v1',
  sign: bearer('api_token'),
  fault: worded({
    message: [messageAt('error')],
    code: codeAt('error_tag'),
    wait: secondsAt('error_extra.retry_after'),
  }),
  probe: { action: 'list_projects', input: { limit: 1 } },
  actions,
};
