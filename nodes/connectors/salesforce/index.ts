import { bearer } from '../auth';
import type { ConnectorResponse, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursorWith } from '../http/pages';
import { urlPath } from '../http/path';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, faultFrom } from '../http/error-text';
import { filledText, flag, list, outputOf, record, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { commaSeparated, queryFrom } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const OBJECT = { object: filledText('API name of the object.', 'Contact') };
const ID = { id: filledText('ID of the record.', '003D000000QOMq8') };
const FIELDS = record('Values by field API name.', { LastName: 'Lovelace' });
const RECORD = outputOf({ Id: text('ID of the record.', '003D000000QOMq8IAH') });
const SAVED = outputOf({ id: text('ID of the record.', '003D000000QOMq8IAH'), success: flag('Whether it succeeded.') });

/** The cursor is the last segment of the link to the next page. */
const pages = byCursorWith({ items: 'records', cursor: 'nextRecordsUrl' }, (_request, link) => ({
  method: 'GET',
  url: urlPath`/query/${link.split('/').at(-1)}`,
}));

const bodyOf = (fields: unknown) =>
  typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? { ...fields } : {};

const actions: readonly HttpAction[] = [
  readAction('query', 'Runs a SOQL query and returns its records.', {
    required: { soql: filledText('Query.', "SELECT Id, Email FROM Contact WHERE LastName = 'Lovelace'") },
    item: RECORD,
    request: ({ soql }) => ({
      method: 'GET',
      url: '/query',
      query: { q: queryFrom({ soql: soql ?? '' }, 'soql').soql },
    }),
    pages,
  }),
  readAction('get_record', 'Returns a record of an object.', {
    required: { ...OBJECT, ...ID },
    optional: { fields: list({ type: 'string' }, 'Names of fields to return.', ['Id', 'Email']) },
    output: RECORD,
    request: ({ object, id, fields }) => ({
      method: 'GET',
      url: urlPath`/sobjects/${object}/${id}`,
      query: { fields: commaSeparated(fields) },
    }),
  }),
  writeAction('create_record', 'Creates a record of an object.', {
    required: { ...OBJECT, fields: FIELDS },
    output: SAVED,
    request: ({ object, fields }) => ({ method: 'POST', url: urlPath`/sobjects/${object}`, body: bodyOf(fields) }),
  }),
  idempotentWrite('update_record', 'Updates the given fields of a record; other fields are unchanged.', {
    required: { ...OBJECT, ...ID, fields: FIELDS },
    ...NO_OUTPUT,
    request: ({ object, id, fields }) => ({
      method: 'PATCH',
      url: urlPath`/sobjects/${object}/${id}`,
      body: bodyOf(fields),
    }),
  }),
  idempotentWrite('upsert_record', 'Creates a record, or updates the one with this external ID.', {
    required: {
      ...OBJECT,
      field: filledText('API name of the external ID field.', 'Order_Number__c'),
      value: filledText('Value of the external ID.', '4711'),
      fields: FIELDS,
    },
    output: SAVED,
    request: ({ object, field, value, fields }) => ({
      method: 'PATCH',
      url: urlPath`/sobjects/${object}/${field}/${value}`,
      body: bodyOf(fields),
    }),
    read: ({ body }) => bodyOf(body),
  }),
  idempotentWrite('delete_record', 'Moves a record to the recycle bin.', {
    required: { ...OBJECT, ...ID },
    ...NO_OUTPUT,
    call: 'DELETE /sobjects/{object}/{id}',
  }),
];

const code = codeAt('[0].errorCode');

/** Conflicts with other writers, and rate limits. */
const isPassing = (response: ConnectorResponse): boolean =>
  ['UNABLE_TO_LOCK_ROW', 'REQUEST_LIMIT_EXCEEDED', 'SERVER_UNAVAILABLE'].includes(code(response) ?? '');

export const salesforce = defineConnector({
  name: 'salesforce',
  title: 'Salesforce',
  description: 'Query, read, create, update, merge and delete records of any object.',
  category: 'CRM',
  docs: 'https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/',

  fields: [
    urlField('instance_url', 'Address', 'URL of your Salesforce organization.', 'https://acme.my.salesforce.com'),
    secretField(
      'token',
      'Access token',
      'Access token of a connected app with the scope `api`.',
      '00D50000000IehZ!AQcAQH0dMHZfz972',
    ),
  ],
  base: (account) => `${baseUrlFrom(account, 'instance_url')}/services/data/v62.0`,
  sign: bearer('token'),
  fault: faultFrom({ message: [messageAt(0, 'message')], code, retryable: isPassing }),
  connectionTest: { action: 'query', input: { soql: 'SELECT Id, Name FROM Organization', limit: 1 } },
  actions,
});
