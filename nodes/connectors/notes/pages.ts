import { isObject, type Json } from '../../../lib/json';
import type { ConnectorRequest, HttpAction, Pages } from '../contract';
import { asks, does, pick, settles } from '../define';
import { at } from '../http/path';
import { byCursor } from '../http/pages';
import { anything, choice, flag, list, object, outputOf, record, text } from '../schemas';
import { listAt, objectAt, present, textAt } from '../values';
import { blockOf, blocksOf, iconOf } from './blocks';
import { BLOCK, BLOCK_ID, CONTENT, DATABASE_ID, ICON, PAGE, PAGE_ID, PROPERTIES, TITLE, USER } from './fields';
import { richText } from './rich-text';
import { pageOf } from './values';

const PAGE_SIZE = 100;

const asIs = (value: Json): Json => value;

/** Pages whose mark goes back in the query. */
const inQuery = (item: (value: Json) => Json): Pages => {
  const { next } = byCursor({ items: 'results', cursor: 'next_cursor', parameter: 'start_cursor' });
  return { items: ({ body }) => listAt(body, 'results').map(item), next };
};

/** Pages whose mark goes back in the body. */
const inBody = (item: (value: Json) => Json): Pages => ({
  items: ({ body }) => listAt(body, 'results').map(item),
  next({ body }, request): ConnectorRequest | null {
    const cursor = textAt(body, 'next_cursor');
    if (cursor === undefined || !isObject(request.body)) return null;
    return { ...request, body: { ...objectAt(request.body), start_cursor: cursor } };
  },
});

export const pages: readonly HttpAction[] = [
  asks('search', 'Search', 'Pages and databases by their title, those changed last first.', {
    may: {
      query: text('Words', 'What the title has.', 'review', { maxLength: 1_000 }),
      only: choice(['page', 'database'], 'Only', 'Pages, or databases.'),
    },
    item: PAGE,
    request: (input) => ({
      method: 'POST',
      url: '/v1/search',
      body: present({
        ...pick(input, 'query'),
        filter: 'only' in input ? { property: 'object', value: input.only ?? '' } : undefined,
        sort: { direction: 'descending', timestamp: 'last_edited_time' },
        page_size: PAGE_SIZE,
      }),
    }),
    pages: inBody(pageOf),
  }),
  asks('get_page', 'Read a page', 'Properties of a page; what it says are its blocks.', {
    needs: { page_id: PAGE_ID },
    output: PAGE,
    call: 'GET /v1/pages/{page_id}',
    read: ({ body }) => pageOf(body),
  }),
  does('create_page', 'Create a page', 'A new page in another one.', {
    needs: { parent_page_id: PAGE_ID, title: TITLE },
    may: { ...CONTENT, icon: ICON },
    output: PAGE,
    request: (input) => {
      const blocks = blocksOf(input);
      return {
        method: 'POST',
        url: '/v1/pages',
        body: present({
          parent: { page_id: input.parent_page_id ?? '' },
          properties: { title: { title: richText(textAt(input, 'title') ?? '') } },
          icon: iconOf(input),
          children: blocks.length === 0 ? undefined : blocks,
        }),
      };
    },
    read: ({ body }) => pageOf(body),
  }),
  settles('update_page', 'Change a page', 'Its properties, icon, or whether it is in the trash.', {
    needs: { page_id: PAGE_ID },
    may: { properties: PROPERTIES, icon: ICON, archived: flag('In the trash', 'Puts it there, or takes it out.') },
    output: PAGE,
    request: (input) => ({
      method: 'PATCH',
      url: at`/v1/pages/${input.page_id}`,
      body: present({ ...pick(input, 'properties', 'archived'), icon: iconOf(input) }),
    }),
    read: ({ body }) => pageOf(body),
  }),
  asks('get_database', 'Look at a database', 'Its title and properties.', {
    needs: { database_id: DATABASE_ID },
    output: outputOf(
      {
        id: text('Id', 'Id of the database.'),
        url: text('Link', 'Where people look at it.'),
        title: list(anything('Piece', 'A piece of text.'), 'Title', 'In pieces.'),
        properties: record('Properties', 'By name, each with its type.'),
      },
      ['id', 'properties'],
    ),
    call: 'GET /v1/databases/{database_id}',
  }),
  asks('query_database', 'Read a database', 'Items that fit, with plain values.', {
    needs: { database_id: DATABASE_ID },
    may: {
      filter: record('Filter', 'As the provider documents it.', { property: 'Done', checkbox: { equals: false } }),
      sorts: list(
        object({}, 'Sort', 'As the provider documents it.', { open: true }),
        'Order',
        'What comes first.',
        [{ property: 'Due', direction: 'ascending' }],
        { maxItems: 100 },
      ),
    },
    item: PAGE,
    call: 'POST /v1/databases/{database_id}/query',
    body: { page_size: PAGE_SIZE },
    pages: inBody(pageOf),
  }),
  asks('get_blocks', 'Read what a page says', 'The blocks in a page or block, one level deep.', {
    needs: { block_id: BLOCK_ID },
    item: BLOCK,
    call: 'GET /v1/blocks/{block_id}/children',
    query: { page_size: PAGE_SIZE },
    pages: inQuery(blockOf),
  }),
  does('append_blocks', 'Write into a page', 'Puts paragraphs and blocks at the end of a page or block.', {
    needs: { block_id: BLOCK_ID },
    may: CONTENT,
    output: outputOf({ results: list(BLOCK, 'Blocks', 'Those that were made.') }, ['results']),
    request: (input) => ({
      method: 'PATCH',
      url: at`/v1/blocks/${input.block_id}/children`,
      body: { children: blocksOf(input) },
    }),
    read: ({ body }) => ({ results: listAt(body, 'results').map(blockOf) }),
  }),
  does('add_comment', 'Comment on a page', 'Says something beside a page.', {
    needs: { page_id: PAGE_ID, text: text('Text', 'The text.', 'Done.', { minLength: 1, maxLength: 20_000 }) },
    output: outputOf({ id: text('Id', 'Id of the comment.') }, ['id']),
    request: (input) => ({
      method: 'POST',
      url: '/v1/comments',
      body: { parent: { page_id: input.page_id ?? '' }, rich_text: richText(textAt(input, 'text') ?? '') },
    }),
  }),
  asks('list_users', 'List users', 'Who is in the workspace.', {
    item: USER,
    call: 'GET /v1/users',
    query: { page_size: PAGE_SIZE },
    pages: inQuery(asIs),
  }),
  asks('whoami', 'Look at the connection', 'Whom the connection acts for.', { output: USER, call: 'GET /v1/users/me' }),
];
