import { isObject, type Json } from '../../../lib/json';
import type { ConnectorRequest, HttpAction, Pages } from '../contract';
import { urlPath } from '../http/path';
import { byCursor } from '../http/pages';

import { listAt, objectAt, withoutUndefined, textAt } from '../values';
import { blockOf, blocksOf, iconOf } from './blocks';
import { BLOCK, BLOCK_ID, CONTENT, DATABASE_ID, ICON, PAGE, PAGE_ID, PROPERTIES, TITLE, USER } from './fields';
import { richText } from './rich-text';
import { pageOf } from './values';
import { anyValue, choice, filledText, flag, list, object, outputOf, record, text } from '../../schema';
import { pick } from '../input';
import { idempotentWrite, readAction, writeAction } from '../define';

const PAGE_SIZE = 100;

const asIs = (value: Json): Json => value;

/** Pages with the cursor in the query. */
const inQuery = (item: (value: Json) => Json): Pages => {
  const { next } = byCursor({ items: 'results', cursor: 'next_cursor', parameter: 'start_cursor' });
  return { items: ({ body }) => listAt(body, 'results').map(item), next };
};

/** Pages with the cursor in the body. */
const inBody = (item: (value: Json) => Json): Pages => ({
  items: ({ body }) => listAt(body, 'results').map(item),
  next({ body }, request): ConnectorRequest | null {
    const cursor = textAt(body, 'next_cursor');
    if (cursor === undefined || !isObject(request.body)) return null;
    return { ...request, body: { ...objectAt(request.body), start_cursor: cursor } };
  },
});

export const pages: readonly HttpAction[] = [
  readAction('search', 'Searches pages and databases by title, most recently edited first.', {
    optional: {
      query: text('Text in the title.', 'review', { maxLength: 1_000 }),
      only: choice(['page', 'database'], 'Only pages, or only databases.'),
    },
    item: PAGE,
    request: (input) => ({
      method: 'POST',
      url: '/v1/search',
      body: withoutUndefined({
        ...pick(input, 'query'),
        filter: 'only' in input ? { property: 'object', value: input.only ?? '' } : undefined,
        sort: { direction: 'descending', timestamp: 'last_edited_time' },
        page_size: PAGE_SIZE,
      }),
    }),
    pages: inBody(pageOf),
  }),
  readAction('get_page', 'Returns the properties of a page; its content are its blocks.', {
    required: { page_id: PAGE_ID },
    output: PAGE,
    call: 'GET /v1/pages/{page_id}',
    read: ({ body }) => pageOf(body),
  }),
  writeAction('create_page', 'Creates a page below another page.', {
    required: { parent_page_id: PAGE_ID, title: TITLE },
    optional: { ...CONTENT, icon: ICON },
    output: PAGE,
    request: (input) => {
      const blocks = blocksOf(input);
      return {
        method: 'POST',
        url: '/v1/pages',
        body: withoutUndefined({
          parent: { page_id: input.parent_page_id ?? '' },
          properties: { title: { title: richText(textAt(input, 'title') ?? '') } },
          icon: iconOf(input),
          children: blocks.length === 0 ? undefined : blocks,
        }),
      };
    },
    read: ({ body }) => pageOf(body),
  }),
  idempotentWrite('update_page', 'Updates properties and icon of a page, or moves it to or from the trash.', {
    required: { page_id: PAGE_ID },
    optional: { properties: PROPERTIES, icon: ICON, archived: flag('Moves the page to the trash, or restores it.') },
    output: PAGE,
    request: (input) => ({
      method: 'PATCH',
      url: urlPath`/v1/pages/${input.page_id}`,
      body: withoutUndefined({ ...pick(input, 'properties', 'archived'), icon: iconOf(input) }),
    }),
    read: ({ body }) => pageOf(body),
  }),
  readAction('get_database', 'Returns the title and properties of a database.', {
    required: { database_id: DATABASE_ID },
    output: outputOf(
      {
        id: text('ID of the database.'),
        url: text('URL in the web app.'),
        title: list(anyValue('A piece of rich text.'), 'Rich text.'),
        properties: record('Properties by name, each with its type.'),
      },
      ['id', 'properties'],
    ),
    call: 'GET /v1/databases/{database_id}',
  }),
  readAction('query_database', 'Lists matching items with plain values.', {
    required: { database_id: DATABASE_ID },
    optional: {
      filter: record("In the provider's format.", { property: 'Done', checkbox: { equals: false } }),
      sorts: list(
        object({}, "In the provider's format.", { open: true }),
        'Sort criteria.',
        [{ property: 'Due', direction: 'ascending' }],
        { maxItems: 100 },
      ),
    },
    item: PAGE,
    call: 'POST /v1/databases/{database_id}/query',
    body: { page_size: PAGE_SIZE },
    pages: inBody(pageOf),
  }),
  readAction('get_blocks', 'Lists the blocks of a page or block, one level deep.', {
    required: { block_id: BLOCK_ID },
    item: BLOCK,
    call: 'GET /v1/blocks/{block_id}/children',
    query: { page_size: PAGE_SIZE },
    pages: inQuery(blockOf),
  }),
  writeAction('append_blocks', 'Appends paragraphs and blocks to a page or block.', {
    required: { block_id: BLOCK_ID },
    optional: CONTENT,
    output: outputOf({ results: list(BLOCK, 'Created blocks.') }, ['results']),
    request: (input) => ({
      method: 'PATCH',
      url: urlPath`/v1/blocks/${input.block_id}/children`,
      body: { children: blocksOf(input) },
    }),
    read: ({ body }) => ({ results: listAt(body, 'results').map(blockOf) }),
  }),
  writeAction('add_comment', 'Adds a comment to a page.', {
    required: { page_id: PAGE_ID, text: filledText('Text.', 'Done.', { maxLength: 20_000 }) },
    output: outputOf({ id: text('ID of the comment.') }, ['id']),
    request: (input) => ({
      method: 'POST',
      url: '/v1/comments',
      body: { parent: { page_id: input.page_id ?? '' }, rich_text: richText(textAt(input, 'text') ?? '') },
    }),
  }),
  readAction('list_users', 'Lists users of the workspace.', {
    item: USER,
    call: 'GET /v1/users',
    query: { page_size: PAGE_SIZE },
    pages: inQuery(asIs),
  }),
  readAction('whoami', 'Returns the user of the connection.', { output: USER, call: 'GET /v1/users/me' }),
];
