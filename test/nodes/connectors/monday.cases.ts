import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { api_token: 'eyJhbGciOi.e30.abc' },
  { authorization: 'eyJhbGciOi.e30.abc', 'api-version': '2026-07' },
);

const FIELDS = 'id name state url created_at updated_at group { id title } column_values { id type text value }';
const ITEM = { id: '98', name: 'Order 4711' };
const ME = 'query { me { id name email } }';

export const cases = [
  gives(
    ['get_me', 'returns the account'],
    {},
    ['POST /v2', { body: { query: ME, variables: {} } }],
    { data: { me: { id: '12', name: 'Ada', email: 'ada@example.com' } }, account_id: 1 },
    { id: '12', name: 'Ada', email: 'ada@example.com' },
  ),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    ['POST /v2', { body: { query: ME, variables: {} } }],
    { status: 401, json: { errors: [{ message: 'Not Authenticated' }] } },
    { code: 'unauthorized', message: 'monday.com answered 401: Not Authenticated' },
  ),
  gives(
    ['get_board', 'a board'],
    { board: 123 },
    [
      'POST /v2',
      {
        body: {
          query:
            'query ($board: [ID!]) { boards(ids: $board) { id name state url groups { id title } columns { id title type } } }',
          variables: { board: ['123'] },
        },
      },
    ],
    { data: { boards: [{ id: '123', name: 'Orders' }] } },
    { id: '123', name: 'Orders' },
  ),
  pages(
    ['list_items', 'pages after the first are asked for by the cursor alone'],
    { board: '123' },
    [
      [
        [
          'POST /v2',
          {
            body: {
              query: `query ($board: [ID!], $limit: Int!) { boards(ids: $board) { items_page(limit: $limit) { cursor items { ${FIELDS} } } } }`,
              variables: { board: ['123'], limit: 100 },
            },
          },
        ],
        { json: { data: { boards: [{ items_page: { cursor: 'MSw5', items: [ITEM] } }] } } },
      ],
      [
        [
          'POST /v2',
          {
            body: {
              query: `query ($cursor: String!, $limit: Int!) { next_items_page(cursor: $cursor, limit: $limit) { cursor items { ${FIELDS} } } }`,
              variables: { cursor: 'MSw5', limit: 100 },
            },
          },
        ],
        { json: { data: { next_items_page: { cursor: null, items: [{ ...ITEM, id: '99' }] } } } },
      ],
    ],
    [ITEM, { ...ITEM, id: '99' }],
  ),
  gives(
    ['get_item', 'one item'],
    { item: 98 },
    [
      'POST /v2',
      { body: { query: `query ($item: [ID!]) { items(ids: $item) { ${FIELDS} } }`, variables: { item: ['98'] } } },
    ],
    { data: { items: [ITEM] } },
    ITEM,
  ),
  gives(
    ['create_item', 'values of columns go as JSON in a text'],
    { board: 123, name: 'Order 4711', group: 'topics', columns: { status: { label: 'Done' } } },
    [
      'POST /v2',
      {
        body: {
          query: `mutation ($board: ID!, $name: String!, $group: String, $columns: JSON) { create_item(board_id: $board, item_name: $name, group_id: $group, column_values: $columns) { ${FIELDS} } }`,
          variables: { board: '123', name: 'Order 4711', group: 'topics', columns: '{"status":{"label":"Done"}}' },
        },
      },
    ],
    { data: { create_item: ITEM } },
    ITEM,
  ),
  gives(
    ['update_item', 'columns are set'],
    { board: 123, item: 98, columns: { text: 'Paid' } },
    [
      'POST /v2',
      {
        body: {
          query: `mutation ($board: ID!, $item: ID!, $columns: JSON!) { change_multiple_column_values(board_id: $board, item_id: $item, column_values: $columns) { ${FIELDS} } }`,
          variables: { board: '123', item: '98', columns: '{"text":"Paid"}' },
        },
      },
    ],
    { data: { change_multiple_column_values: ITEM } },
    ITEM,
  ),
  gives(
    ['create_update', 'an update is written'],
    { item: 98, body: 'Delivered.' },
    [
      'POST /v2',
      {
        body: {
          query:
            'mutation ($item: ID!, $body: String!) { create_update(item_id: $item, body: $body) { id created_at } }',
          variables: { item: '98', body: 'Delivered.' },
        },
      },
    ],
    { data: { create_update: { id: '11', created_at: '2026-01-01T00:00:00Z' } } },
    { id: '11', created_at: '2026-01-01T00:00:00Z' },
  ),
  fails(
    ['get_me', 'an exhausted budget with status 200 is retryable'],
    {},
    ['POST /v2', { body: { query: ME, variables: {} } }],
    {
      json: {
        data: null,
        errors: [
          {
            message: 'Complexity budget exhausted',
            extensions: { code: 'COMPLEXITY_BUDGET_EXHAUSTED', retry_in_seconds: 18, status_code: 429 },
          },
        ],
      },
    },
    { code: 'COMPLEXITY_BUDGET_EXHAUSTED', message: 'budget exhausted', retryable: true, retryAfterMs: 18_000 },
  ),
  fails(
    ['get_me', 'a rate limit with an unknown code is recognized by its status'],
    {},
    ['POST /v2', { body: { query: ME, variables: {} } }],
    {
      headers: { 'retry-after': '4' },
      json: { errors: [{ message: 'Slow down', extensions: { code: 'FIELD_MINUTE_LIMIT', status_code: 429 } }] },
    },
    { code: 'FIELD_MINUTE_LIMIT', message: 'Slow down', retryable: true, retryAfterMs: 4_000 },
  ),
  fails(
    ['get_item', 'a missing item is reported, though the answer is an empty list'],
    { item: 97 },
    [
      'POST /v2',
      { body: { query: `query ($item: [ID!]) { items(ids: $item) { ${FIELDS} } }`, variables: { item: ['97'] } } },
    ],
    { json: { data: { items: [] } } },
    { code: 'not_found', message: 'nothing has this id' },
  ),
];
