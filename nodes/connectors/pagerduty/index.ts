import { all, always, headerKey } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { codeAt, secondsIn, worded } from '../http/words';
import { bodyAt } from '../http/pages';
import { actions } from './actions';

export const pagerduty: Connector = {
  name: 'pagerduty',
  title: 'PagerDuty',
  description: 'Incidents, services and who is on call.',
  category: 'operations',
  docs: 'https://developer.pagerduty.com/api-reference/',
  auth: {
    required: true,
    fields: [hidden('api_key', 'API key', 'Integrations, API Access Keys.', 'u+0123456789abcdefgh')],
  },
  base: () => 'https://api.pagerduty.com',
  sign: all(
    always({ accept: 'application/vnd.pagerduty+json;version=2' }),
    headerKey('authorization', 'api_key', 'Token token='),
  ),
  fault: worded({
    message: [
      (answer) => {
        const said = messageAt('error', 'message')(answer);
        const why = bodyAt(answer, 'error.errors[0]');
        return said === null || typeof why !== 'string' ? said : `${said}: ${why}`;
      },
    ],
    code: codeAt('error.code'),
    wait: secondsIn('ratelimit-reset'),
  }),
  probe: { action: 'list_services', input: { limit: 1 } },
  actions,
};
