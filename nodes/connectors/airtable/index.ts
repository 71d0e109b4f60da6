import type { Json, JsonObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { urlPath } from '../http/path';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, list, object, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TABLE = {
  base: filledText('ID of the base.', 'appLkNDICXNqxSDhG'),
  table: filledText('ID or name of the table.', 'Orders'),
};
const RECORD_ID = { record: filledText('ID of the record.', 'rec560UJdUtocSouk') };
const FIELDS = record('Values by field name.', { Name: 'Order 4711', Total: 12.5 });
const TYPECAST = flag('Converts text to the type of the field and creates missing options.', { default: false });
const RECORD = outputOf({
  id: text('ID of the record.', 'rec560UJdUtocSouk'),
  createdTime: text('Creation time.', '2026-01-01T00:00:00.000Z'),
  fields: FIELDS,
});
const RECORDS = outputOf({ records: list(RECORD, 'Records after the change.') });
const tableOf = ({ base, table }: JsonObject): string => urlPath`/${base}/${table}`;
const recordOf = ({ base, table, record: id }: JsonObject): string => urlPath`/${base}/${table}/${id}`;
const recordsOf = (records: Json | undefined): JsonObject[] =>
  (Array.isArray(records) ? records : []).map((fields) => ({ fields }));
const ROWS = list(FIELDS, 'Fields of each record.', [{ Name: 'Order 4711' }], { minItems: 1, maxItems: 10 });

/** Sort keys as query parameters: `sort[0][field]`. */
const sortOf = (sort: Json | undefined): Record<string, string> =>
  Object.fromEntries(
    (Array.isArray(sort) ? sort : []).flatMap((one, index) =>
      Object.entries(typeof one === 'object' && one !== null ? one : {}).map(([key, value]): [string, string] => [
        `sort[${index}][${key}]`,
        String(value),
      ]),
    ),
  );

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user that the token belongs to.', {
    output: outputOf({ id: text('ID of the user.', 'usrL2PNC5o3H4lBEi') }),
    call: 'GET /meta/whoami',
  }),
  readAction('list_records', 'Lists records of a table, of a view, or that match a formula.', {
    required: TABLE,
    optional: {
      view: text('The name or id of a view, with its filters and order.', 'Open'),
      formula: text('Formula that records must match.', "AND({Total} > 10, {Status} = 'open')"),
      fields: list({ type: 'string' }, 'Names of fields to return.', ['Name']),
      sort: list(
        object(
          { field: text('Name of the field.', 'Total'), direction: choice(['asc', 'desc'], 'Sort direction.') },
          'One sort field.',
          { required: ['field'] },
        ),
        'Fields to sort by.',
        [{ field: 'Total', direction: 'desc' }],
        { maxItems: 10 },
      ),
    },
    item: RECORD,
    request: (input) => ({
      method: 'GET',
      url: tableOf(input),
      query: {
        pageSize: 100,
        ...queryFrom(input, 'view'),
        filterByFormula: queryFrom(input, 'formula').formula,
        'fields[]': queryFrom(input, 'fields').fields,
        ...sortOf(input.sort),
      },
    }),
    pages: byCursor({ items: 'records', cursor: 'offset', parameter: 'offset' }),
  }),
  readAction('get_record', 'Returns a record.', {
    required: { ...TABLE, ...RECORD_ID },
    output: RECORD,
    request: (input) => ({ method: 'GET', url: recordOf(input) }),
  }),
  writeAction('create_records', 'Creates up to ten records.', {
    required: { ...TABLE, records: ROWS },
    optional: { typecast: TYPECAST },
    output: RECORDS,
    request: (input) => ({
      method: 'POST',
      url: tableOf(input),
      body: { records: recordsOf(input.records), ...pick(input, 'typecast') },
    }),
  }),
  idempotentWrite('update_record', 'Updates the given fields of a record; other fields are unchanged.', {
    required: { ...TABLE, ...RECORD_ID, fields: FIELDS },
    optional: { typecast: TYPECAST },
    output: RECORD,
    request: (input) => ({ method: 'PATCH', url: recordOf(input), body: pick(input, 'fields', 'typecast') }),
  }),
  idempotentWrite('upsert_records', 'Updates records with matching values and creates the others.', {
    required: {
      ...TABLE,
      records: ROWS,
      merge_on: list({ type: 'string' }, 'Names of the fields that identify a record.', ['Name'], {
        minItems: 1,
        maxItems: 3,
      }),
    },
    optional: { typecast: TYPECAST },
    output: RECORDS,
    request: (input) => ({
      method: 'PATCH',
      url: tableOf(input),
      body: {
        performUpsert: { fieldsToMergeOn: input.merge_on ?? [] },
        records: recordsOf(input.records),
        ...pick(input, 'typecast'),
      },
    }),
  }),
  idempotentWrite('delete_record', 'Deletes a record.', {
    required: { ...TABLE, ...RECORD_ID },
    output: outputOf({ id: text('ID of the record.', 'rec560UJdUtocSouk'), deleted: flag('Whether it was deleted.') }),
    request: (input) => ({ method: 'DELETE', url: recordOf(input) }),
  }),
];

/** Airtable refuses requests for 30 seconds after its limit was exceeded, without a Retry-After header. */
const PENALTY_MS = 30_000;

export const airtable = defineConnector({
  name: 'airtable',
  title: 'Airtable',
  description: 'List, create, update, merge and delete records in tables.',
  category: 'Storage',
  docs: 'https://airtable.com/developers/web/api/introduction',

  fields: [
    secretField(
      'token',
      'Personal access token',
      'Personal access token with the scopes data.records:read and data.records:write for the bases.',
      'patAbCdEf0123456.0123456789abcdef',
    ),
  ],
  base: 'https://api.airtable.com/v0',
  sign: bearer('token'),
  fault: faultFrom({
    message: [messageAt('error', 'message')],
    code: (response) => codeAt('error.type')(response) ?? codeAt('error')(response),
    retryAfterMs: ({ status }) => (status === 429 ? PENALTY_MS : null),
  }),
  connectionTest: 'get_me',
  actions,
});
