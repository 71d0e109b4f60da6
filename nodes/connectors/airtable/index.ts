import type { Json, JsonObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, does, hidden, pick, settles } from '../define';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { at } from '../http/path';
import { codeAt, worded } from '../http/error-text';
import { choice, flag, list, object, outputOf, record, text } from '../schemas';

const TABLE = {
  base: text('Base', 'Its id.', 'appLkNDICXNqxSDhG', { minLength: 1 }),
  table: text('Table', 'Its id or name.', 'Orders', { minLength: 1 }),
};
const RECORD_ID = { record: text('Record', 'Its id.', 'rec560UJdUtocSouk', { minLength: 1 }) };
const FIELDS = record('Fields', 'Values by the names of the fields.', { Name: 'Order 4711', Total: 12.5 });
const TYPECAST = flag('Convert', 'Makes texts into what the field holds, and new options where there are none.', {
  default: false,
});
const RECORD = outputOf({
  id: text('Id', 'Of the record.', 'rec560UJdUtocSouk'),
  createdTime: text('Made at', 'When it was made.', '2026-01-01T00:00:00.000Z'),
  fields: FIELDS,
});
const RECORDS = outputOf({ records: list(RECORD, 'Records', 'As they are now.') });
const tableOf = ({ base, table }: JsonObject): string => at`/${base}/${table}`;
const recordOf = ({ base, table, record: id }: JsonObject): string => at`/${base}/${table}/${id}`;
const recordsOf = (records: Json | undefined): JsonObject[] =>
  (Array.isArray(records) ? records : []).map((fields) => ({ fields }));
const ROWS = list(FIELDS, 'Records', 'The fields of each.', [{ Name: 'Order 4711' }], { minItems: 1, maxItems: 10 });

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
  asks('get_me', 'Get my account', 'The user that the token belongs to.', {
    output: outputOf({ id: text('Id', 'Of the user.', 'usrL2PNC5o3H4lBEi') }),
    call: 'GET /meta/whoami',
  }),
  asks('list_records', 'List records', 'Records of a table, of a view, or those that a formula selects.', {
    needs: TABLE,
    may: {
      view: text('View', 'The name or id of a view, with its filters and order.', 'Open'),
      formula: text('Formula', 'Records for which it is true.', "AND({Total} > 10, {Status} = 'open')"),
      fields: list({ type: 'string' }, 'Fields', 'Only these.', ['Name']),
      sort: list(
        object(
          {
            field: text('Field', 'Its name.', 'Total'),
            direction: choice(['asc', 'desc'], 'Direction', 'Which first.'),
          },
          'Order',
          'By one field.',
          { required: ['field'] },
        ),
        'Order',
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
        ...ask(input, 'view'),
        filterByFormula: ask(input, 'formula').formula,
        'fields[]': ask(input, 'fields').fields,
        ...sortOf(input.sort),
      },
    }),
    pages: byCursor({ items: 'records', cursor: 'offset', parameter: 'offset' }),
  }),
  asks('get_record', 'Get a record', 'One record.', {
    needs: { ...TABLE, ...RECORD_ID },
    output: RECORD,
    request: (input) => ({ method: 'GET', url: recordOf(input) }),
  }),
  does('create_records', 'Create records', 'Makes up to ten records.', {
    needs: { ...TABLE, records: ROWS },
    may: { typecast: TYPECAST },
    output: RECORDS,
    request: (input) => ({
      method: 'POST',
      url: tableOf(input),
      body: { records: recordsOf(input.records), ...pick(input, 'typecast') },
    }),
  }),
  settles('update_record', 'Change a record', 'Sets the fields that are given; others stay.', {
    needs: { ...TABLE, ...RECORD_ID, fields: FIELDS },
    may: { typecast: TYPECAST },
    output: RECORD,
    request: (input) => ({ method: 'PATCH', url: recordOf(input), body: pick(input, 'fields', 'typecast') }),
  }),
  settles(
    'upsert_records',
    'Merge records',
    'Changes the records that have the same values in some fields, and makes others.',
    {
      needs: {
        ...TABLE,
        records: ROWS,
        merge_on: list({ type: 'string' }, 'Same by', 'Names of fields that tell records apart.', ['Name'], {
          minItems: 1,
          maxItems: 3,
        }),
      },
      may: { typecast: TYPECAST },
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
    },
  ),
  settles('delete_record', 'Delete a record', 'Takes a record away.', {
    needs: { ...TABLE, ...RECORD_ID },
    output: outputOf({
      id: text('Id', 'Of the record.', 'rec560UJdUtocSouk'),
      deleted: flag('Deleted', 'That it is gone.'),
    }),
    request: (input) => ({ method: 'DELETE', url: recordOf(input) }),
  }),
];

/** Airtable takes nothing for half a minute after its limit was passed, and does not say so in a header. */
const PENALTY_MS = 30_000;

export const airtable: Connector = {
  name: 'airtable',
  title: 'Airtable',
  description: 'Records of tables: find, create, change, merge, delete.',
  category: 'Storage',
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
