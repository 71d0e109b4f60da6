import { ANSWERED, ANSWERED_SECONDS, casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { token: 'dG9rOjAxMjM0NTY3', region: 'eu' },
  { authorization: 'Bearer dG9rOjAxMjM0NTY3', 'intercom-version': '2.14' },
);

const ADA = { type: 'contact', id: '63a0', role: 'user' };
const QUERY = { field: 'email', operator: '=', value: 'ada@example.com' };

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /me', { type: 'admin', id: '99', name: 'Grace' }),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /me',
    { status: 401, json: { type: 'error.list', errors: [{ code: 'unauthorized', message: 'Access Token Invalid' }] } },
    { code: 'unauthorized', message: 'Intercom answered 401: Access Token Invalid' },
  ),
  pages(
    ['search_contacts', 'pages of a search have the mark in the body'],
    QUERY,
    [
      [
        ['POST /contacts/search', { body: { query: QUERY, pagination: { per_page: 150 } } }],
        { json: { type: 'list', data: [ADA], pages: { next: { page: 2, starting_after: 'WzE2' } } } },
      ],
      [
        ['POST /contacts/search', { body: { query: QUERY, pagination: { per_page: 150, starting_after: 'WzE2' } } }],
        { json: { type: 'list', data: [{ ...ADA, id: '63a1' }], pages: { page: 2 } } },
      ],
    ],
    [ADA, { ...ADA, id: '63a1' }],
  ),
  gives(
    ['create_contact', 'a contact is made'],
    { role: 'user', email: 'ada@example.com', custom_attributes: { plan: 'pro' } },
    ['POST /contacts', { body: { role: 'user', email: 'ada@example.com', custom_attributes: { plan: 'pro' } } }],
    ADA,
  ),
  gives(
    ['update_contact', 'a contact changes'],
    { contact: '63a0', name: 'Ada' },
    ['PUT /contacts/63a0', { body: { name: 'Ada' } }],
    ADA,
  ),
  gives(
    ['create_note', 'a note is written'],
    { contact: '63a0', body: 'Called.', admin_id: '99' },
    ['POST /contacts/63a0/notes', { body: { body: 'Called.', admin_id: '99' } }],
    { type: 'note', id: '29' },
  ),
  pages(
    ['list_conversations', 'pages of a list have the mark in the query'],
    {},
    [
      [
        'GET /conversations?per_page=150',
        { json: { conversations: [{ id: '1', state: 'open' }], pages: { next: { page: 2, starting_after: 'WzE3' } } } },
      ],
      [
        'GET /conversations?per_page=150&starting_after=WzE3',
        { json: { conversations: [{ id: '2', state: 'closed' }], pages: { next: null } } },
      ],
    ],
    [
      { id: '1', state: 'open' },
      { id: '2', state: 'closed' },
    ],
  ),
  gives(
    ['reply', 'an answer in a conversation'],
    { conversation: 123, admin_id: '99', body: 'We are on it.' },
    [
      'POST /conversations/123/reply',
      { body: { message_type: 'comment', type: 'admin', admin_id: '99', body: 'We are on it.' } },
    ],
    { id: '123', state: 'open' },
  ),
  gives(
    ['close_conversation', 'a conversation is closed'],
    { conversation: '123', admin_id: '99' },
    ['POST /conversations/123/parts', { body: { message_type: 'close', type: 'admin', admin_id: '99' } }],
    { id: '123', state: 'closed' },
  ),
  fails(
    ['get_me', 'a limit is waited for'],
    {},
    'GET /me',
    {
      status: 429,
      headers: { ...ANSWERED, 'x-ratelimit-reset': String(ANSWERED_SECONDS + 10) },
      json: { type: 'error.list', errors: [{ code: 'rate_limit_exceeded', message: 'Exceeded rate limit' }] },
    },
    { code: 'rate_limit_exceeded', message: 'Exceeded rate limit', retryable: true, retryAfterMs: 10_000 },
  ),
];
