import { bearer } from '../auth';
import type { Connector, ConnectorAnswer } from '../contract';
import { hidden, site } from '../define';
import { messageAt } from '../http/fault';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/words';
import { actions } from './actions';

const code = codeAt('[0].errorCode');

/** Others are at work on the same record, or too much was asked for. */
const isPassing = (answer: ConnectorAnswer): boolean =>
  ['UNABLE_TO_LOCK_ROW', 'REQUEST_LIMIT_EXCEEDED', 'SERVER_UNAVAILABLE'].includes(code(answer) ?? '');

export const salesforce: Connector = {
  name: 'salesforce',
  title: 'Salesforce',
  description: 'Records of any object: query, read, create, change, merge, delete.',
  category: 'crm',
  docs: 'https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/',
  auth: {
    required: true,
    fields: [
      site('instance_url', 'Address', 'Of your organization.', 'https://acme.my.salesforce.com'),
      hidden('token', 'Access token', 'Of a connected app, with the scope `api`.', '00D50000000IehZ!AQcAQH0dMHZfz972'),
    ],
  },
  base: (account) => `${siteOf(account, 'instance_url')}/services/data/v62.0`,
  sign: bearer('token'),
  fault: worded({ message: [messageAt(0, 'message')], code, passing: isPassing }),
  probe: { action: 'query', input: { soql: 'SELECT Id, Name FROM Organization', limit: 1 } },
  actions,
};
