import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

export const hubspot: Connector = {
  name: 'hubspot',
  title: 'HubSpot',
  description: 'Contacts, companies, deals and other objects of the CRM.',
  category: 'crm',
  docs: 'https://developers.hubspot.com/docs/api-reference/overview',
  auth: {
    required: true,
    fields: [
      hidden(
        'token',
        'Access token',
        'Of a private app, with the scopes that the actions need.',
        'pat-eu1-01234567-89ab',
      ),
    ],
  },
  base: () => 'https://api.hubapi.com',
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('message')],
    code: codeAt('category'),
    // Ten seconds are what its limits are counted over.
    wait: ({ status }) => (status === 429 ? 10_000 : null),
  }),
  probe: { action: 'get_account', input: {} },
  actions,
};
