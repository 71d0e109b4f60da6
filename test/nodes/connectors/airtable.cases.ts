import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { token: 'patAbCd.0123456789' },
  { authorization: 'Bearer patAbCd.0123456789' },
);

const TABLE = { base: 'appL', table: 'Open orders/2026' };
const PATH = '/appL/Open%20orders%2F2026';
const ROW = { id: 'rec1', createdTime: '2026-01-01T00:00:00.000Z', fields: { Name: 'Order 4711' } };

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /meta/whoami', { id: 'usr1' }),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /meta/whoami',
    { status: 401, json: { error: { type: 'AUTHENTICATION_REQUIRED', message: 'Authentication required' } } },
    { code: 'AUTHENTICATION_REQUIRED', message: 'Airtable answered 401: Authentication required' },
  ),
  pages(
    ['list_records', 'pages follow the offset; a name with a slash stays one part'],
    {
      ...TABLE,
      view: 'Open',
      formula: '{Total} > 10',
      fields: ['Name', 'Total'],
      sort: [{ field: 'Total', direction: 'desc' }],
    },
    [
      [
        [
          `GET ${PATH}`,
          {
            query: {
              pageSize: '100',
              view: 'Open',
              filterByFormula: '{Total} > 10',
              'fields[]': ['Name', 'Total'],
              'sort[0][field]': 'Total',
              'sort[0][direction]': 'desc',
            },
          },
        ],
        { json: { records: [ROW], offset: 'itr1/rec1' } },
      ],
      [
        [
          `GET ${PATH}`,
          {
            query: {
              pageSize: '100',
              view: 'Open',
              filterByFormula: '{Total} > 10',
              'fields[]': ['Name', 'Total'],
              'sort[0][field]': 'Total',
              'sort[0][direction]': 'desc',
              offset: 'itr1/rec1',
            },
          },
        ],
        { json: { records: [{ ...ROW, id: 'rec2' }] } },
      ],
    ],
    [ROW, { ...ROW, id: 'rec2' }],
  ),
  gives(['get_record', 'one record'], { ...TABLE, record: 'rec1' }, `GET ${PATH}/rec1`, ROW),
  gives(
    ['create_records', 'records are made'],
    { ...TABLE, records: [{ Name: 'Order 4711' }], typecast: true },
    [`POST ${PATH}`, { body: { records: [{ fields: { Name: 'Order 4711' } }], typecast: true } }],
    { records: [ROW] },
  ),
  gives(
    ['update_record', 'a record changes'],
    { ...TABLE, record: 'rec1', fields: { Total: 12.5 } },
    [`PATCH ${PATH}/rec1`, { body: { fields: { Total: 12.5 } } }],
    ROW,
  ),
  gives(
    ['upsert_records', 'records are merged'],
    { ...TABLE, records: [{ Name: 'Order 4711', Total: 1 }], merge_on: ['Name'] },
    [
      `PATCH ${PATH}`,
      {
        body: { performUpsert: { fieldsToMergeOn: ['Name'] }, records: [{ fields: { Name: 'Order 4711', Total: 1 } }] },
      },
    ],
    { createdRecords: [], updatedRecords: ['rec1'], records: [ROW] },
  ),
  gives(['delete_record', 'a record goes'], { ...TABLE, record: 'rec1' }, `DELETE ${PATH}/rec1`, {
    id: 'rec1',
    deleted: true,
  }),
  fails(
    ['get_record', 'an error code without a message is shown'],
    { ...TABLE, record: 'rec9' },
    `GET ${PATH}/rec9`,
    { status: 404, json: { error: 'NOT_FOUND' } },
    { code: 'NOT_FOUND', message: 'Airtable answered 404: NOT_FOUND' },
  ),
  fails(
    ['get_me', 'the limit is waited for half a minute, which no header says'],
    {},
    'GET /meta/whoami',
    { status: 429, json: { errors: [{ error: 'RATE_LIMIT_REACHED', message: 'Rate limit exceeded' }] } },
    { code: 'rate_limited', message: 'Rate limit exceeded', retryable: true, retryAfterMs: 30_000 },
  ),
];
