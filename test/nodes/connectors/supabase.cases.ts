import type { ConnectorCase } from './connector-case';
import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { url: 'https://abc.supabase.co', api_key: 'sb_secret_0123456789' },
  { apikey: 'sb_secret_0123456789', authorization: null },
);

const ROW = { number: 4711, status: 'open' };
const WROTE = { prefer: 'return=representation' };
const FILTERS = [{ column: 'number', operator: 'eq', value: 4711 }];
const thousand = Array.from({ length: 1000 }, (_, number) => ({ number }));

export const cases = [
  gives(
    ['list_tables', 'tables stand in the description of the API'],
    {},
    'GET /',
    { swagger: '2.0', definitions: { orders: {}, customers: {} } },
    { tables: ['orders', 'customers'], count: 2 },
  ),
  fails(
    ['list_tables', 'a wrong key is rejected'],
    {},
    'GET /',
    { status: 401, json: { message: 'Invalid API key', hint: 'Double check your API key.' } },
    { code: 'unauthorized', message: 'Supabase answered 401: Invalid API key (Double check your API key.)' },
  ),
  {
    ...gives(
      ['call_function', 'a key of the older kind is a token as well'],
      { function: 'now' },
      [
        'POST /rpc/now',
        { headers: { apikey: 'eyJhbGciOi.e30.x', authorization: 'Bearer eyJhbGciOi.e30.x' }, body: {} },
      ],
      '12:00',
      { result: '12:00' },
    ),
    credentials: { url: 'https://abc.supabase.co', api_key: 'eyJhbGciOi.e30.x' },
  },
  pages(
    ['select_rows', 'pages are counted by what came before; values in a list cannot leave it'],
    {
      table: 'orders',
      filters: [
        { column: 'status', operator: 'in', value: ['open', 'a"b,c)'] },
        { column: 'number', operator: 'gt', value: 1 },
        { column: 'number', operator: 'lt', value: 9000 },
      ],
      columns: 'number,customer(name)',
      order: 'number.asc',
      limit: 1001,
    },
    [
      [
        [
          'GET /orders',
          {
            query: {
              status: 'in.("open","a\\"b,c)")',
              number: ['gt.1', 'lt.9000'],
              select: 'number,customer(name)',
              order: 'number.asc',
              limit: '1000',
              offset: '0',
            },
          },
        ],
        { json: thousand },
      ],
      [
        [
          'GET /orders',
          {
            query: {
              status: 'in.("open","a\\"b,c)")',
              number: ['gt.1', 'lt.9000'],
              select: 'number,customer(name)',
              order: 'number.asc',
              limit: '1000',
              offset: '1000',
            },
          },
        ],
        { json: [ROW] },
      ],
    ],
    [...thousand, ROW],
  ),
  gives(
    ['insert_rows', 'rows are added'],
    { table: 'orders', rows: [ROW] },
    ['POST /orders', { headers: WROTE, body: [ROW] }],
    [ROW],
    { rows: [ROW], count: 1 },
  ),
  fails(
    ['insert_rows', 'a duplicate row is reported'],
    { table: 'orders', rows: [ROW] },
    ['POST /orders', { headers: WROTE, body: [ROW] }],
    {
      status: 409,
      json: {
        code: '23505',
        message: 'duplicate key value',
        details: 'Key (number)=(4711) already exists.',
        hint: null,
      },
    },
    { code: 'provider_23505', message: 'duplicate key value (Key (number)=(4711) already exists.)' },
  ),
  gives(
    ['upsert_rows', 'rows are merged'],
    { table: 'orders', rows: [ROW], on_conflict: ['number'] },
    [
      'POST /orders?on_conflict=number',
      { headers: { prefer: 'resolution=merge-duplicates,return=representation' }, body: [ROW] },
    ],
    [ROW],
    { rows: [ROW], count: 1 },
  ),
  gives(
    ['update_rows', 'rows change'],
    { table: 'orders', filters: FILTERS, values: { status: 'paid' } },
    ['PATCH /orders?number=eq.4711', { headers: WROTE, body: { status: 'paid' } }],
    [{ ...ROW, status: 'paid' }],
    { rows: [{ ...ROW, status: 'paid' }], count: 1 },
  ),
  gives(
    ['delete_rows', 'rows go'],
    { table: 'orders', filters: FILTERS },
    ['DELETE /orders?number=eq.4711', { headers: WROTE }],
    [ROW],
    { rows: [ROW], count: 1 },
  ),
  gives(
    ['call_function', 'a function is called'],
    { function: 'close_order', arguments: { number: 4711 } },
    ['POST /rpc/close_order', { body: { number: 4711 } }],
    { closed: true },
  ),
  ...['on_conflict', 'columns', 'select', 'or'].map(
    (column): ConnectorCase => ({
      title: `a filter on "${column}", which would be none, is refused before anything is deleted`,
      action: 'delete_rows',
      input: { table: 'orders', filters: [{ column, operator: 'eq', value: 1 }] },
      credentials: { url: 'https://abc.supabase.co', api_key: 'sb_secret_0123456789' },
      expects: [],
      answers: [],
      outcome: {
        kind: 'fail',
        error: { code: 'invalid_config', message: `"${column}" cannot be the column of a filter` },
        retryable: false,
      },
    }),
  ),
];
