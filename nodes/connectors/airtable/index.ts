import type { Json, JsonObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { urlPath } from '../http/path';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, flag, list, object, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TABLE = {
  base: filledText('Its id.', 'appLkNDICXNqxSDhG'),
  table: filledText('Its id or name.', 'Orders'),
};
const RECORD_ID = { record: filledText('Its id.', 'rec560UJdUtocSouk') };
const FIELDS = record('Values by the names of the fields.', { Name: 'Order 4711', Total: 12.5 });
const TYPECAST = flag('Makes texts into what the field holds, and new options where there are none.', {
  default: false,
});
const RECORD = outputOf({
  id: text('Of the record.', 'rec560UJdUtocSouk'),
  createdTime: text('When it was made.', '2026-01-01T00:00:00.000Z'),
  fields: FIELDS,
});
const RECORDS = outputOf({ records: list(RECORD, 'As they are now.') });
const tableOf = ({ base, table }: JsonObject): string => urlPath`/${base}/${table}`;
const recordOf = ({ base, table, record: id }: JsonObject): string => urlPath`/${base}/${table}/${id}`;
const recordsOf = (records: Json | undefined): JsonObject[] =>
  (Array.isArray(records) ? records : []).map((fields) => ({ fields }));
const ROWS = list(FIELDS, 'The fields of each.', [{ Name: 'Order 4711' }], { minItems: 1, maxItems: 10 });

/** Several orders, as this API wants them: `sort[0][field]`. */
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
  readAction('get_me', 'The user that the token belongs to.', {
    output: outputOf({ id: text('Of the user.', 'usrL2PNC5o3H4lBEi') }),
    call: 'GET /meta/whoami',
  }),
  readAction('list_records', 'Records of a table, of a view, or those that a formula selects.', {
    required: TABLE,
    optional: {
      view: text('The name or id of a view, with its filters and order.', 'Open'),
      formula: text('Records for which it is true.', "AND({Total} > 10, {Status} = 'open')"),
      fields: list({ type: 'string' }, 'Only these.', ['Name']),
      sort: list(
        object(
          {
            field: text('Its name.', 'Total'),
            direction: choice(['asc', 'desc'], 'Which first.'),
          },
          'By one field.',
          { required: ['field'] },
        ),
        'By these fields.',
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
  readAction('get_record', 'One record.', {
    required: { ...TABLE, ...RECORD_ID },
    output: RECORD,
    request: (input) => ({ method: 'GET', url: recordOf(input) }),
  }),
  writeAction('create_records', 'Makes up to ten records.', {
    required: { ...TABLE, records: ROWS },
    optional: { typecast: TYPECAST },
    output: RECORDS,
    request: (input) => ({
      method: 'POST',
      url: tableOf(input),
      body: { records: recordsOf(input.records), ...pick(input, 'typecast') },
    }),
  }),
  idempotentWrite('update_record', 'Sets the fields that are given; others stay.', {
    required: { ...TABLE, ...RECORD_ID, fields: FIELDS },
    optional: { typecast: TYPECAST },
    output: RECORD,
    request: (input) => ({ method: 'PATCH', url: recordOf(input), body: pick(input, 'fields', 'typecast') }),
  }),
  idempotentWrite('upsert_records', 'Changes the records that have the same values in some fields, and makes others.', {
    required: {
      ...TABLE,
      records: ROWS,
      merge_on: list({ type: 'string' }, 'Names of fields that tell records apart.', ['Name'], {
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
  idempotentWrite('delete_record', 'Takes a record away.', {
    required: { ...TABLE, ...RECORD_ID },
    output: outputOf({
      id: text('Of the record.', 'rec560UJdUtocSouk'),
      deleted: flag('That it is gone.'),
    }),
    request: (input) => ({ method: 'DELETE', url: recordOf(input) }),
  }),
];

/** Airtable takes nothing for half a minute after its limit was passed, and does not say so in a header. */
const PENALTY_MS = 30_000;

export const airtable = defineConnector({
  name: 'airtable',
  title: 'Airtable',
  description: 'Records of tables: find, create, change, merge, delete.',
  category: 'Storage',
  docs: 'https://airtable.com/developers/web/api/introduction',

  fields: [
    secretField(
      'token',
      'Personal access token',
      'With the scopes data.records:read and data.records:write, for the bases in question.',
      'patAbCdEf0123456.0123456789abcdef',
    ),
  ],
  base: 'https://api.airtable.com/v0',
  sign: bearer('token'),
  fault: faultFrom({
    message: [messageAt('error', 'message')],
    code: (answer) => codeAt('error.type')(answer) ?? codeAt('error')(answer),
    retryAfterMs: ({ status }) => (status === 429 ? PENALTY_MS : null),
  }),
  probe: 'get_me',
  actions,
});
