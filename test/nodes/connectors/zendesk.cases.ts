import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { url: 'https://acme.zendesk.com', token: 'gErypPlm4dOVgGRv' },
  { authorization: 'Bearer gErypPlm4dOVgGRv' },
);
const older = casesOf(
  { url: 'https://acme.zendesk.com', email: 'ada@example.com', api_token: '6wiIBWbGkBMo' },
  { authorization: `Basic ${Buffer.from('ada@example.com/token:6wiIBWbGkBMo').toString('base64')}` },
);
const neither = casesOf({ url: 'https://acme.zendesk.com', email: 'ada@example.com' }, {});

const TICKET = { id: 35, subject: 'Fire', status: 'open' };

export const cases = [
  gives(
    ['get_me', 'returns the account'],
    {},
    'GET /users/me',
    { user: { id: 1, name: 'Ada' } },
    { id: 1, name: 'Ada' },
  ),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /users/me',
    { status: 401, json: { error: "Couldn't authenticate you" } },
    { code: 'Couldn_t_authenticate_you', message: "Zendesk answered 401: Couldn't authenticate you" },
  ),
  pages(
    ['list_tickets', 'pages follow the cursor while there are more'],
    {},
    [
      [
        'GET /tickets?page[size]=100',
        {
          json: {
            tickets: [TICKET],
            meta: { has_more: true, after_cursor: 'xxx' },
            links: { next: 'https://evil.example' },
          },
        },
      ],
      [
        'GET /tickets?page[size]=100&page[after]=xxx',
        { json: { tickets: [{ ...TICKET, id: 36 }], meta: { has_more: false, after_cursor: 'yyy' } } },
      ],
    ],
    [TICKET, { ...TICKET, id: 36 }],
  ),
  page(
    ['search_tickets', 'what a search finds'],
    { query: 'status:open' },
    'GET /search/export?query=status:open&filter[type]=ticket&page[size]=100',
    { results: [TICKET], meta: { has_more: false } },
    [TICKET],
  ),
  gives(['get_ticket', 'one ticket'], { ticket: 35 }, 'GET /tickets/35', { ticket: TICKET }, TICKET),
  gives(
    ['create_ticket', 'a ticket is opened, with a key that a second try has as well'],
    {
      subject: 'Fire',
      comment: 'Colorful smoke.',
      priority: 'urgent',
      requester_email: 'bob@example.com',
      tags: ['a'],
    },
    [
      'POST /tickets',
      {
        body: {
          ticket: {
            subject: 'Fire',
            priority: 'urgent',
            tags: ['a'],
            comment: { body: 'Colorful smoke.' },
            requester: { email: 'bob@example.com', name: 'bob@example.com' },
          },
        },
      },
    ],
    { ticket: TICKET },
    TICKET,
  ),
  fails(
    ['create_ticket', 'faults are shown with the message of Zendesk'],
    { subject: 'Fire', comment: 'x' },
    ['POST /tickets', { body: { ticket: { subject: 'Fire', comment: { body: 'x' } } } }],
    { status: 422, json: { error: 'RecordInvalid', description: 'Record validation errors', details: {} } },
    { code: 'RecordInvalid', message: 'Zendesk answered 422: Record validation errors' },
  ),
  gives(
    ['update_ticket', 'a note for agents'],
    { ticket: 35, status: 'pending', comment: 'Asked.', public: false },
    ['PUT /tickets/35', { body: { ticket: { status: 'pending', comment: { body: 'Asked.', public: false } } } }],
    { ticket: TICKET, audit: {} },
    TICKET,
  ),
  gives(
    ['upsert_user', 'a user is made or changed'],
    { email: 'bob@example.com', name: 'Bob' },
    ['POST /users/create_or_update', { body: { user: { email: 'bob@example.com', name: 'Bob' } } }],
    { user: { id: 2, name: 'Bob' } },
    { id: 2, name: 'Bob' },
  ),
  fails(
    ['get_me', 'a limit is waited for'],
    {},
    'GET /users/me',
    { status: 429, headers: { 'retry-after': '93' }, text: 'Number of allowed API requests per minute exceeded' },
    { code: 'rate_limited', message: 'requests per minute exceeded', retryable: true, retryAfterMs: 93_000 },
  ),
  older.gives(
    ['get_me', 'an API token that is still there counts'],
    {},
    'GET /users/me',
    { user: { id: 1 } },
    { id: 1 },
  ),
  {
    ...neither.gives(
      ['get_me', 'an account without any token is rejected with the missing field'],
      {},
      'GET /users/me',
      {},
    ),
    expects: [],
    answers: [],
    outcome: {
      kind: 'fail' as const,
      error: { code: 'invalid_config', message: 'the connection has no "api_token"' },
      retryable: false,
    },
  },
];
