import type { Json, JsonObject } from '../../../lib/json';
import { allOf, withDefaultHeaders, headerKey } from '../auth';
import type { HttpAction, Pages } from '../contract';
import { dataAt, graphqlRequest, graphqlFault, notFoundWhenEmpty } from '../http/graphql';
import { bodyAt } from '../http/pages';
import { secondsInBody } from '../http/error-text';
import { anyId, filledText, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const ask = (query: string, variables: JsonObject = {}) => graphqlRequest('/v2', query, variables);

const ITEM_FIELDS = 'id name state url created_at updated_at group { id title } column_values { id type text value }';
const BOARD = { board: anyId('ID of the board.', '1234567890') };
const ITEM = { item: anyId('ID of the item.', '9876543210') };
const NAME = filledText('Name.', 'Order 4711');
const COLUMNS = record("Values by column ID, in monday.com's format for each column type.", {
  status: { label: 'Done' },
  text: 'Paid',
});
const THING = outputOf({ id: anyId('ID of the resource.', '9876543210'), name: NAME });

/** Values of columns go as JSON in a text. */
const columnsOf = (columns: Json | undefined): JsonObject =>
  columns === undefined ? {} : { columns: JSON.stringify(columns) };

const FIRST_ITEMS = `query ($board: [ID!], $limit: Int!) { boards(ids: $board) { items_page(limit: $limit) { cursor items { ${ITEM_FIELDS} } } } }`;
const NEXT_ITEMS = `query ($cursor: String!, $limit: Int!) { next_items_page(cursor: $cursor, limit: $limit) { cursor items { ${ITEM_FIELDS} } } }`;
const PAGE = 100;

/** The first page is requested from the board, later ones by cursor only. */
const itemPages: Pages = {
  items(response) {
    const found = bodyAt(response, 'data.next_items_page.items') ?? bodyAt(response, 'data.boards[0].items_page.items');
    return Array.isArray(found) ? found : [];
  },
  next(response) {
    const cursor =
      bodyAt(response, 'data.next_items_page.cursor') ?? bodyAt(response, 'data.boards[0].items_page.cursor');
    return typeof cursor === 'string' ? ask(NEXT_ITEMS, { cursor, limit: PAGE }) : null;
  },
};

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection.', {
    output: outputOf({
      id: anyId('ID of the user.', '12345678'),
      name: text('Display name.', 'Ada Lovelace'),
      email: text('Email of the user.', 'ada@example.com'),
    }),
    request: () => ask('query { me { id name email } }'),
    read: dataAt('me'),
  }),
  readAction('get_board', 'Returns a board with its groups and columns.', {
    required: BOARD,
    output: THING,
    request: ({ board }) =>
      ask(
        'query ($board: [ID!]) { boards(ids: $board) { id name state url groups { id title } columns { id title type } } }',
        { board: [String(board)] },
      ),
    read: dataAt('boards[0]'),
  }),
  readAction('list_items', 'Lists items of a board with their column values.', {
    required: BOARD,
    item: THING,
    request: ({ board }) => ask(FIRST_ITEMS, { board: [String(board)], limit: PAGE }),
    pages: itemPages,
  }),
  readAction('get_item', 'Returns an item with its column values.', {
    required: ITEM,
    output: THING,
    request: ({ item }) =>
      ask(`query ($item: [ID!]) { items(ids: $item) { ${ITEM_FIELDS} } }`, { item: [String(item)] }),
    read: dataAt('items[0]'),
  }),
  writeAction('create_item', 'Creates an item on a board.', {
    required: { ...BOARD, name: NAME },
    optional: { group: text('ID of a group of the board.', 'topics'), columns: COLUMNS },
    output: THING,
    request: ({ board, columns, ...input }) =>
      ask(
        `mutation ($board: ID!, $name: String!, $group: String, $columns: JSON) { create_item(board_id: $board, item_name: $name, group_id: $group, column_values: $columns) { ${ITEM_FIELDS} } }`,
        { board: String(board), ...pick(input, 'name', 'group'), ...columnsOf(columns) },
      ),
    read: dataAt('create_item'),
  }),
  idempotentWrite('update_item', 'Updates column values of an item.', {
    required: { ...BOARD, ...ITEM, columns: COLUMNS },
    output: THING,
    request: ({ board, item, columns }) =>
      ask(
        `mutation ($board: ID!, $item: ID!, $columns: JSON!) { change_multiple_column_values(board_id: $board, item_id: $item, column_values: $columns) { ${ITEM_FIELDS} } }`,
        { board: String(board), item: String(item), ...columnsOf(columns) },
      ),
    read: dataAt('change_multiple_column_values'),
  }),
  writeAction('create_update', 'Adds an update to an item.', {
    required: { ...ITEM, body: filledText('Text or simple HTML.', 'Delivered.') },
    output: outputOf({ id: anyId('ID of the update.', '1122334455') }),
    request: ({ item, body }) =>
      ask('mutation ($item: ID!, $body: String!) { create_update(item_id: $item, body: $body) { id created_at } }', {
        item: String(item),
        body: body ?? null,
      }),
    read: dataAt('create_update'),
  }),
];

const ofProtocol = graphqlFault({
  retryable: ['ComplexityException', 'COMPLEXITY_BUDGET_EXHAUSTED', 'FIELD_LIMIT_EXCEEDED', 'maxConcurrencyExceeded'],
  // Rate limits have several codes, and a status within the body of a response with status 200.
  isRetryable: (response) => bodyAt(response, 'errors[0].extensions.status_code') === 429,
  refused: [],
  retryAfterMs: secondsInBody('errors[0].extensions.retry_in_seconds'),
});

/** Boards and items are requested by id. */
const ofNothing = notFoundWhenEmpty('boards', 'items');

export const monday = defineConnector({
  name: 'monday',
  title: 'monday.com',
  description: 'Manage boards, items and updates.',
  category: 'Project management',
  docs: 'https://developer.monday.com/api-reference/',

  fields: [
    secretField('api_token', 'API token', 'Profile picture > Developers > API token.', 'eyJhbGciOiJIUzI1NiJ9.e30.abc'),
  ],
  base: 'https://api.monday.com',
  sign: allOf(withDefaultHeaders({ 'api-version': '2026-07' }), headerKey('authorization', 'api_token')),
  fault: (response) => ofProtocol(response) ?? ofNothing(response),
  connectionTest: 'get_me',
  actions,
});
