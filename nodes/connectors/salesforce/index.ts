import { bearer } from '../auth';
import type { Connector, ConnectorAnswer, HttpAction } from '../contract';
import { ask, asks, commas, does, hidden, NOTHING, nothing, settles, site } from '../define';
import { messageAt } from '../http/fault';
import { byMark } from '../http/pages';
import { at } from '../http/path';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/error-text';
import { flag, list, outputOf, record, text } from '../schemas';

const OBJECT = { object: text('Object', 'Its API name.', 'Contact', { minLength: 1 }) };
const ID = { id: text('Id', 'Of the record.', '003D000000QOMq8', { minLength: 1 }) };
const FIELDS = record('Fields', 'Values by the API names of the fields.', { LastName: 'Lovelace' });
const RECORD = outputOf({ Id: text('Id', 'Of the record.', '003D000000QOMq8IAH') });
const SAVED = outputOf({
  id: text('Id', 'Of the record.', '003D000000QOMq8IAH'),
  success: flag('Success', 'That it is there.'),
});

/** The link to the next page ends in its mark, which is all that counts of it. */
const pages = byMark({ items: 'records', cursor: 'nextRecordsUrl' }, (_request, link) => ({
  method: 'GET',
  url: at`/query/${link.split('/').at(-1)}`,
}));

const bodyOf = (fields: unknown) =>
  typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? { ...fields } : {};

const actions: readonly HttpAction[] = [
  asks('query', 'Query', 'Records that a query in SOQL finds.', {
    needs: {
      soql: text('SOQL', 'The query.', "SELECT Id, Email FROM Contact WHERE LastName = 'Lovelace'", { minLength: 1 }),
    },
    item: RECORD,
    request: ({ soql }) => ({ method: 'GET', url: '/query', query: { q: ask({ soql: soql ?? '' }, 'soql').soql } }),
    pages,
  }),
  asks('get_record', 'Get a record', 'One record of an object.', {
    needs: { ...OBJECT, ...ID },
    may: { fields: list({ type: 'string' }, 'Fields', 'Only these.', ['Id', 'Email']) },
    output: RECORD,
    request: ({ object, id, fields }) => ({
      method: 'GET',
      url: at`/sobjects/${object}/${id}`,
      query: { fields: commas(fields) },
    }),
  }),
  does('create_record', 'Create a record', 'Makes a record of an object.', {
    needs: { ...OBJECT, fields: FIELDS },
    output: SAVED,
    request: ({ object, fields }) => ({ method: 'POST', url: at`/sobjects/${object}`, body: bodyOf(fields) }),
  }),
  settles('update_record', 'Change a record', 'Sets the fields that are given; others stay.', {
    needs: { ...OBJECT, ...ID, fields: FIELDS },
    output: NOTHING,
    request: ({ object, id, fields }) => ({
      method: 'PATCH',
      url: at`/sobjects/${object}/${id}`,
      body: bodyOf(fields),
    }),
    read: nothing,
  }),
  settles(
    'upsert_record',
    'Merge a record',
    'Changes the record with a value in a field for external ids, or makes it.',
    {
      needs: {
        ...OBJECT,
        field: text('Field', 'The API name of a field for external ids.', 'Order_Number__c', { minLength: 1 }),
        value: text('Value', 'In that field.', '4711', { minLength: 1 }),
        fields: FIELDS,
      },
      output: SAVED,
      request: ({ object, field, value, fields }) => ({
        method: 'PATCH',
        url: at`/sobjects/${object}/${field}/${value}`,
        body: bodyOf(fields),
      }),
      read: ({ body }) => bodyOf(body),
    },
  ),
  settles('delete_record', 'Delete a record', 'Moves a record to the bin.', {
    needs: { ...OBJECT, ...ID },
    output: NOTHING,
    call: 'DELETE /sobjects/{object}/{id}',
    read: nothing,
  }),
];

const code = codeAt('[0].errorCode');

/** Others are at work on the same record, or too much was asked for. */
const isPassing = (answer: ConnectorAnswer): boolean =>
  ['UNABLE_TO_LOCK_ROW', 'REQUEST_LIMIT_EXCEEDED', 'SERVER_UNAVAILABLE'].includes(code(answer) ?? '');

export const salesforce: Connector = {
  name: 'salesforce',
  title: 'Salesforce',
  description: 'Records of any object: query, read, create, change, merge, delete.',
  category: 'CRM',
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
