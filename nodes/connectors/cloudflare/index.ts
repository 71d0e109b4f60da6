import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt } from '../http/pages';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

export const cloudflare: Connector = {
  name: 'cloudflare',
  title: 'Cloudflare',
  description: 'Zones, DNS records and the cache.',
  category: 'operations',
  docs: 'https://developers.cloudflare.com/api/',
  auth: {
    required: true,
    fields: [
      hidden(
        'token',
        'API token',
        'My profile, API tokens; with rights on the zones in question.',
        'v1.0-0123456789abcdef',
      ),
    ],
  },
  base: () => 'https://api.cloudflare.com/client/v4',
  sign: bearer('token'),
  fault: worded({
    message: [
      (answer) => {
        const said = messageAt('errors', 0, 'message')(answer);
        const why = bodyAt(answer, 'errors[0].error_chain[0].message');
        return said === null || typeof why !== 'string' ? said : `${said}: ${why}`;
      },
    ],
    code: codeAt('errors[0].code'),
  }),
  probe: { action: 'verify_token', input: {} },
  actions,
};
