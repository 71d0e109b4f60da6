import { field, withHeaders } from '../auth';
import type { Connector } from '../contract';
import { hidden, site } from '../define';
import { messageAt } from '../http/fault';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

export const supabase: Connector = {
  name: 'supabase',
  title: 'Supabase',
  description: 'Rows of tables and functions of the database, by its REST API.',
  category: 'databases',
  docs: 'https://supabase.com/docs/guides/api',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of the project.', 'https://abcdefghijklmnop.supabase.co'),
      hidden(
        'api_key',
        'API key',
        'A secret one, or that of the service role: it reaches all rows, whatever policies say.',
        'sb_secret_0123456789abcdef',
      ),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/rest/v1`,
  sign(request, account) {
    const key = field(account, 'api_key');
    // Keys of the older kind are tokens of JWT as well, and say there which role they give.
    return withHeaders(request, { apikey: key, ...(key.startsWith('ey') ? { authorization: `Bearer ${key}` } : {}) });
  },
  fault: worded({
    message: [
      (answer) => {
        const said = messageAt('message')(answer);
        const hint = messageAt('hint')(answer) ?? messageAt('details')(answer);
        return said === null || hint === null ? said : `${said} (${hint})`;
      },
    ],
    code: codeAt('code'),
  }),
  probe: { action: 'list_tables', input: {} },
  actions,
};
