import { headerKey } from '../auth';
import type { Connector } from '../contract';
import { hidden, site } from '../define';
import { messageAt } from '../http/fault';
import { siteOf } from '../http/site';
import { codeAt, fieldsAt, untilIn, worded } from '../http/words';
import { actions } from './actions';

export const gitlab: Connector = {
  name: 'gitlab',
  title: 'GitLab',
  description: 'Issues, merge requests and pipelines of projects, on gitlab.com or a server of your own.',
  category: 'development',
  docs: 'https://docs.gitlab.com/api/rest/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Where GitLab runs.', 'https://gitlab.example.com', {
        required: false,
        default: 'https://gitlab.com',
      }),
      hidden('token', 'Access token', 'Personal, of a project or a group, with the scope `api`.', 'glpat-0123456789'),
    ],
  },
  base: (account) => `${siteOf(account, 'url', 'https://gitlab.com')}/api/v4`,
  sign: headerKey('private-token', 'token'),
  fault: worded({
    message: [messageAt('message'), fieldsAt('message'), messageAt('error_description')],
    code: codeAt('error_code'),
    wait: untilIn('ratelimit-reset'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
