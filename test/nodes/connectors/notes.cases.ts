import { casesOf } from './case-builders';

const { gives, pages, fails, talks, page } = casesOf(
  { access_token: 'ntn_0123456789' },
  { authorization: 'Bearer ntn_0123456789', 'notion-version': '2022-06-28' },
);

const ID = '59833787-2cf9-4fdf-8782-e53db20768a5';
const OTHER = '0c3e9826b8f74f73927d2caaf86f1103';

const text = (content: string) => [{ type: 'text', text: { content } }];
const richText = (content: string) => [{ type: 'text', text: { content }, plain_text: content }];
const paragraph = (content: string) => ({
  object: 'block',
  type: 'paragraph',
  paragraph: { rich_text: text(content) },
});

const PROPERTIES = {
  Name: { id: 'title', type: 'title', title: richText('Order 4711') },
  Price: { id: 'a', type: 'number', number: 12.5 },
  Tags: { id: 'b', type: 'multi_select', multi_select: [{ id: '1', name: 'new' }] },
  Due: { id: 'c', type: 'date', date: { start: '2026-03-01', end: null } },
  Done: { id: 'd', type: 'checkbox', checkbox: false },
  State: { id: 'e', type: 'status', status: { name: 'Open' } },
  Owner: { id: 'f', type: 'people', people: [{ id: OTHER }] },
  Link: { id: 'g', type: 'url', url: null },
  Total: { id: 'h', type: 'formula', formula: { type: 'number', number: 25 } },
};
const PAGE = { object: 'page', id: ID, url: 'https://notes.example/1', archived: false, properties: PROPERTIES };
const READ = {
  ...PAGE,
  title: 'Order 4711',
  values: {
    Name: 'Order 4711',
    Price: 12.5,
    Tags: ['new'],
    Due: '2026-03-01',
    Done: false,
    State: 'Open',
    Owner: [OTHER],
    Link: null,
    Total: { type: 'number', number: 25 },
  },
};
const BLOCK = {
  object: 'block',
  id: OTHER,
  type: 'paragraph',
  has_children: false,
  paragraph: { rich_text: richText('Hi') },
};
const USER = { object: 'user', id: OTHER, name: 'Ada', type: 'person' };

export const cases = [
  pages(
    ['search', 'pages follow the mark, which goes into the body'],
    { query: 'order', only: 'page' },
    [undefined, 'next'].map((start_cursor) => [
      [
        'POST /v1/search',
        {
          body: {
            query: 'order',
            filter: { property: 'object', value: 'page' },
            sort: { direction: 'descending', timestamp: 'last_edited_time' },
            page_size: 100,
            ...(start_cursor === undefined ? {} : { start_cursor }),
          },
        },
      ],
      { json: { results: [PAGE], next_cursor: start_cursor === undefined ? 'next' : null } },
    ]),
    [READ, READ],
  ),
  gives(['get_page', 'properties are plain values too'], { page_id: ID }, `GET /v1/pages/${ID}`, PAGE, READ),
  fails(
    ['get_page', 'a page that is not shared with the connection'],
    { page_id: ID },
    `GET /v1/pages/${ID}`,
    { status: 404, json: { object: 'error', status: 404, code: 'object_not_found', message: 'Could not find page.' } },
    { code: 'object_not_found', message: 'Notion answered 404: Could not find page.' },
  ),
  fails(
    ['get_page', 'a rate limit is retryable, after the given time'],
    { page_id: ID },
    `GET /v1/pages/${ID}`,
    { status: 429, headers: { 'retry-after': '2' }, json: { code: 'rate_limited', message: 'slow down' } },
    { code: 'rate_limited', message: 'slow down', retryable: true, retryAfterMs: 2_000 },
  ),
  gives(
    ['create_page', 'a page is created with what it says'],
    {
      parent_page_id: ID,
      title: 'Review',
      content: 'First.\n\n\nSecond.',
      icon: '📦',
      blocks: [{ type: 'divider', divider: {} }],
    },
    [
      'POST /v1/pages',
      {
        body: {
          parent: { page_id: ID },
          properties: { title: { title: text('Review') } },
          icon: { type: 'emoji', emoji: '📦' },
          children: [paragraph('First.'), paragraph('Second.'), { type: 'divider', divider: {} }],
        },
      },
    ],
    { object: 'page', id: OTHER, properties: {} },
    { object: 'page', id: OTHER, properties: {}, values: {} },
  ),
  gives(
    ['create_page', 'a long text goes in pieces, and no character is cut'],
    { parent_page_id: ID, title: `${'a'.repeat(1_999)}📦` },
    [
      'POST /v1/pages',
      {
        body: {
          parent: { page_id: ID },
          properties: { title: { title: [...text('a'.repeat(1_999)), ...text('📦')] } },
        },
      },
    ],
    { object: 'page', id: OTHER, properties: {} },
    { object: 'page', id: OTHER, properties: {}, values: {} },
  ),
  gives(
    ['update_page', 'properties, icon and trash'],
    { page_id: ID, properties: { Done: { checkbox: true } }, archived: true, icon: 'https://example.com/i.png' },
    [
      `PATCH /v1/pages/${ID}`,
      {
        body: {
          properties: { Done: { checkbox: true } },
          archived: true,
          icon: { type: 'external', external: { url: 'https://example.com/i.png' } },
        },
      },
    ],
    PAGE,
    READ,
  ),
  fails(
    ['update_page', 'two who write at once: one may try again'],
    { page_id: ID, archived: true },
    [`PATCH /v1/pages/${ID}`, { body: { archived: true } }],
    { status: 409, json: { code: 'conflict_error', message: 'Conflict occurred while saving.' } },
    { code: 'conflict_error', message: 'Conflict occurred', retryable: true },
  ),
  gives(['get_database', 'a database is looked at'], { database_id: ID }, `GET /v1/databases/${ID}`, {
    object: 'database',
    id: ID,
    properties: { Name: { id: 'title', type: 'title', title: {} } },
  }),
  page(
    ['query_database', 'items of a database'],
    {
      database_id: ID,
      filter: { property: 'Done', checkbox: { equals: false } },
      sorts: [{ property: 'Due', direction: 'ascending' }],
    },
    [
      `POST /v1/databases/${ID}/query`,
      {
        body: {
          filter: { property: 'Done', checkbox: { equals: false } },
          sorts: [{ property: 'Due', direction: 'ascending' }],
          page_size: 100,
        },
      },
    ],
    { results: [PAGE], has_more: false, next_cursor: null },
    [READ],
  ),
  pages(
    ['get_blocks', 'pages follow the mark, which goes into the query'],
    { block_id: ID },
    [undefined, 'next'].map((start_cursor) => [
      [
        `GET /v1/blocks/${ID}/children`,
        { query: { page_size: '100', ...(start_cursor === undefined ? {} : { start_cursor }) } },
      ],
      { json: { results: [BLOCK], next_cursor: start_cursor === undefined ? 'next' : null } },
    ]),
    [
      { ...BLOCK, text: 'Hi' },
      { ...BLOCK, text: 'Hi' },
    ],
  ),
  gives(
    ['append_blocks', 'a page gets another paragraph'],
    { block_id: ID, content: 'Hi' },
    [`PATCH /v1/blocks/${ID}/children`, { body: { children: [paragraph('Hi')] } }],
    { object: 'list', results: [BLOCK] },
    { results: [{ ...BLOCK, text: 'Hi' }] },
  ),
  gives(
    ['add_comment', 'a comment is added to a page'],
    { page_id: ID, text: 'Done.' },
    ['POST /v1/comments', { body: { parent: { page_id: ID }, rich_text: text('Done.') } }],
    { object: 'comment', id: OTHER },
  ),
  page(['list_users', 'everybody'], {}, 'GET /v1/users?page_size=100', { results: [USER], next_cursor: null }, [USER]),
  gives(['whoami', 'the connection is looked at'], {}, 'GET /v1/users/me', USER),
  fails(
    ['whoami', 'a wrong token is rejected'],
    {},
    'GET /v1/users/me',
    { status: 401, json: { code: 'unauthorized', message: 'API token is invalid.' } },
    { code: 'unknown_connection', message: 'There is no other connection' },
  ),
  talks(
    ['create_database_item', 'plain values become what the schema says'],
    {
      database_id: ID,
      values: {
        Name: 'Order 4711',
        Price: '12.5',
        Tags: 'new',
        Due: '2026-03-01',
        Done: true,
        State: 'Open',
        Owner: [OTHER],
        Link: null,
      },
      content: 'Hi',
    },
    [
      [`GET /v1/databases/${ID}`, { json: { object: 'database', id: ID, properties: PROPERTIES } }],
      [
        [
          'POST /v1/pages',
          {
            body: {
              parent: { database_id: ID },
              properties: {
                Name: { title: text('Order 4711') },
                Price: { number: 12.5 },
                Tags: { multi_select: [{ name: 'new' }] },
                Due: { date: { start: '2026-03-01' } },
                Done: { checkbox: true },
                State: { status: { name: 'Open' } },
                Owner: { people: [{ id: OTHER }] },
                Link: { url: null },
              },
              children: [paragraph('Hi')],
            },
          },
        ],
        { json: PAGE },
      ],
    ],
    { output: READ },
  ),
  ...(
    [
      ['a name that is none', { Nmae: 'x' }, 'there is no property "Nmae"'],
      ['a name of every object', { constructor: 'x' }, 'there is no property "constructor"'],
      ['a formula', { Total: 5 }, 'the property "Total" is a formula, which cannot be written'],
      ['a number that is none', { Price: 'much' }, '"Price" must be a number'],
    ] as const
  ).map(([title, values, message]) =>
    talks(
      ['create_database_item', `${title} is refused, and nothing is made`],
      { database_id: ID, values },
      [[`GET /v1/databases/${ID}`, { json: { object: 'database', id: ID, properties: PROPERTIES } }]],
      { failing: { code: 'invalid_config', message } },
    ),
  ),
  talks(
    ['update_database_item', 'an item gets other values'],
    { page_id: ID, values: { Done: true, Link: 'https://example.com' } },
    [
      [`GET /v1/pages/${ID}`, { json: PAGE }],
      [
        [
          `PATCH /v1/pages/${ID}`,
          { body: { properties: { Done: { checkbox: true }, Link: { url: 'https://example.com' } } } },
        ],
        { json: PAGE },
      ],
    ],
    { output: READ },
  ),
];
