import type { Json, JsonObject } from '../../../lib/json';
import { all, always, headerKey } from '../auth';
import type { Connector, HttpAction, Pages } from '../contract';
import { asks, does, hidden, pick, settles } from '../define';
import { dataAt, document, graphqlFault, missing } from '../http/graphql';
import { bodyAt } from '../http/pages';
import { secondsAt } from '../http/error-text';
import { idOf, outputOf, record, text } from '../schemas';

const ask = (query: string, variables: JsonObject = {}) => document('/v2', query, variables);

const ITEM_FIELDS = 'id name state url created_at updated_at group { id title } column_values { id type text value }';
const BOARD = { board: idOf('Board', 'Its id.', '1234567890') };
const ITEM = { item: idOf('Item', 'Its id.', '9876543210') };
const NAME = text('Name', 'What people read on it.', 'Order 4711', { minLength: 1 });
const COLUMNS = record('Columns', 'Values by the ids of the columns, as monday.com documents them by type.', {
  status: { label: 'Done' },
  text: 'Paid',
});
const THING = outputOf({ id: idOf('Id', 'Of the thing.', '9876543210'), name: NAME });

/** Values of columns go as JSON in a text. */
const columnsOf = (columns: Json | undefined): JsonObject =>
  columns === undefined ? {} : { columns: JSON.stringify(columns) };

const FIRST_ITEMS = `query ($board: [ID!], $limit: Int!) { boards(ids: $board) { items_page(limit: $limit) { cursor items { ${ITEM_FIELDS} } } } }`;
const NEXT_ITEMS = `query ($cursor: String!, $limit: Int!) { next_items_page(cursor: $cursor, limit: $limit) { cursor items { ${ITEM_FIELDS} } } }`;
const PAGE = 100;

/** The first page is asked of the board, the others by the cursor alone. */
const itemPages: Pages = {
  items(answer) {
    const found = bodyAt(answer, 'data.next_items_page.items') ?? bodyAt(answer, 'data.boards[0].items_page.items');
    return Array.isArray(found) ? found : [];
  },
  next(answer) {
    const cursor = bodyAt(answer, 'data.next_items_page.cursor') ?? bodyAt(answer, 'data.boards[0].items_page.cursor');
    return typeof cursor === 'string' ? ask(NEXT_ITEMS, { cursor, limit: PAGE }) : null;
  },
};

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for.', {
    output: outputOf({
      id: idOf('Id', 'Of the user.', '12345678'),
      name: text('Name', 'As people read it.', 'Ada Lovelace'),
      email: text('E-mail address', 'Of the user.', 'ada@example.com'),
    }),
    request: () => ask('query { me { id name email } }'),
    read: dataAt('me'),
  }),
  asks('get_board', 'Get a board', 'A board with its groups and columns.', {
    needs: BOARD,
    output: THING,
    request: ({ board }) =>
      ask(
        'query ($board: [ID!]) { boards(ids: $board) { id name state url groups { id title } columns { id title type } } }',
        { board: [String(board)] },
      ),
    read: dataAt('boards[0]'),
  }),
  asks('list_items', 'List items', 'Items of a board with the values of their columns.', {
    needs: BOARD,
    item: THING,
    request: ({ board }) => ask(FIRST_ITEMS, { board: [String(board)], limit: PAGE }),
    pages: itemPages,
  }),
  asks('get_item', 'Get an item', 'One item with the values of its columns.', {
    needs: ITEM,
    output: THING,
    request: ({ item }) =>
      ask(`query ($item: [ID!]) { items(ids: $item) { ${ITEM_FIELDS} } }`, { item: [String(item)] }),
    read: dataAt('items[0]'),
  }),
  does('create_item', 'Create an item', 'Puts an item onto a board.', {
    needs: { ...BOARD, name: NAME },
    may: { group: text('Group', 'The id of a group of the board.', 'topics'), columns: COLUMNS },
    output: THING,
    request: ({ board, columns, ...input }) =>
      ask(
        `mutation ($board: ID!, $name: String!, $group: String, $columns: JSON) { create_item(board_id: $board, item_name: $name, group_id: $group, column_values: $columns) { ${ITEM_FIELDS} } }`,
        { board: String(board), ...pick(input, 'name', 'group'), ...columnsOf(columns) },
      ),
    read: dataAt('create_item'),
  }),
  settles('update_item', 'Change an item', 'Sets values of columns of an item.', {
    needs: { ...BOARD, ...ITEM, columns: COLUMNS },
    output: THING,
    request: ({ board, item, columns }) =>
      ask(
        `mutation ($board: ID!, $item: ID!, $columns: JSON!) { change_multiple_column_values(board_id: $board, item_id: $item, column_values: $columns) { ${ITEM_FIELDS} } }`,
        { board: String(board), item: String(item), ...columnsOf(columns) },
      ),
    read: dataAt('change_multiple_column_values'),
  }),
  does('create_update', 'Write an update', 'Writes below an item.', {
    needs: { ...ITEM, body: text('Text', 'Text or simple HTML.', 'Delivered.', { minLength: 1 }) },
    output: outputOf({ id: idOf('Id', 'Of the update.', '1122334455') }),
    request: ({ item, body }) =>
      ask('mutation ($item: ID!, $body: String!) { create_update(item_id: $item, body: $body) { id created_at } }', {
        item: String(item),
        body: body ?? null,
      }),
    read: dataAt('create_update'),
  }),
];

const ofProtocol = graphqlFault({
  passing: ['ComplexityException', 'COMPLEXITY_BUDGET_EXHAUSTED', 'FIELD_LIMIT_EXCEEDED', 'maxConcurrencyExceeded'],
  // Limits have many words, and one status, which stands in an answer of status 200.
  isPassing: (answer) => bodyAt(answer, 'errors[0].extensions.status_code') === 429,
  refused: [],
  wait: secondsAt('errors[0].extensions.retry_in_seconds'),
});

/** Boards and items are only asked for by their ids. */
const ofNothing = missing('boards', 'items');

export const monday: Connector = {
  name: 'monday',
  title: 'monday.com',
  description: 'Boards, items and updates.',
  category: 'Project management',
  docs: 'https://developer.monday.com/api-reference/',
  auth: {
    required: true,
    fields: [hidden('api_token', 'API token', 'Your picture, Developers, API token.', 'eyJhbGciOiJIUzI1NiJ9.e30.abc')],
  },
  base: () => 'https://api.monday.com',
  sign: all(always({ 'api-version': '2026-07' }), headerKey('authorization', 'api_token')),
  fault: (answer) => ofProtocol(answer) ?? ofNothing(answer),
  probe: { action: 'get_me', input: {} },
  actions,
};
