import { headerKey } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { graphqlFault } from '../http/graphql';
import { untilIn } from '../http/words';
import { actions } from './actions';

export const linear: Connector = {
  name: 'linear',
  title: 'Linear',
  description: 'Issues of teams: list, create, change, comment.',
  category: 'project management',
  docs: 'https://linear.app/developers/graphql',
  auth: {
    required: true,
    fields: [hidden('api_key', 'API key', 'A personal one: Settings, Security & access.', 'lin_api_0123456789abcdef')],
  },
  base: () => 'https://api.linear.app',
  // Personal keys go without the word Bearer.
  sign: headerKey('authorization', 'api_key'),
  fault: graphqlFault({
    passing: ['RATELIMITED', 'INTERNAL_SERVER_ERROR'],
    refused: ['AUTHENTICATION_ERROR'],
    wait: untilIn('x-ratelimit-requests-reset'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
