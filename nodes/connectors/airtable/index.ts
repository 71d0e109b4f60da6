import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

/** Airtable takes nothing for half a minute after its limit was passed, and does not say so in a header. */
const PENALTY_MS = 30_000;

export const airtable: Connector = {
  name: 'airtable',
  title: 'Airtable',
  description: 'Records of tables: find, create, change, merge, delete.',
  category: 'databases',
  docs: 'https://airtable.com/developers/web/api/introduction',
  auth: {
    required: true,
    fields: [
      hidden(
        'token',
        'Personal access token',
        'With the scopes data.records:read and data.records:write, for the bases in question.',
        'patAbCdEf0123456.0123456789abcdef',
      ),
    ],
  },
  base: () => 'https://api.airtable.com/v0',
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('error', 'message')],
    code: (answer) => codeAt('error.type')(answer) ?? codeAt('error')(answer),
    wait: ({ status }) => (status === 429 ? PENALTY_MS : null),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
