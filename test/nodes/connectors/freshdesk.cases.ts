import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { url: 'https://acme.freshdesk.com', api_key: 'BhB6bgm7wXyZ' },
  { authorization: `Basic ${Buffer.from('BhB6bgm7wXyZ:X').toString('base64')}` },
);

const TICKET = { id: 20, subject: 'Lamp', status: 2, priority: 1 };

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /agents/me', { id: 7, contact: { name: 'Ada' } }),
  fails(
    ['get_me', 'a wrong key is rejected'],
    {},
    'GET /agents/me',
    { status: 401, json: { code: 'invalid_credentials', message: 'You have to be logged in to perform this action.' } },
    { code: 'invalid_credentials', message: 'Freshdesk answered 401: You have to be logged in' },
  ),
  pages(
    ['list_tickets', 'pages follow the link'],
    { updated_since: '2026-01-01T00:00:00Z' },
    [
      [
        'GET /tickets?per_page=100&updated_since=2026-01-01T00:00:00Z',
        {
          headers: {
            link: '<https://acme.freshdesk.com/api/v2/tickets?per_page=100&updated_since=2026-01-01T00:00:00Z&page=2>; rel="next"',
          },
          json: [TICKET],
        },
      ],
      ['GET /tickets?per_page=100&updated_since=2026-01-01T00:00:00Z&page=2', { json: [{ ...TICKET, id: 21 }] }],
    ],
    [TICKET, { ...TICKET, id: 21 }],
  ),
  gives(['get_ticket', 'one ticket'], { ticket: 20 }, 'GET /tickets/20', TICKET),
  gives(
    ['create_ticket', 'a ticket is opened'],
    { subject: 'Lamp', description: 'It flickers.', email: 'bob@example.com', priority: 3, type: 'Question' },
    [
      'POST /tickets',
      {
        body: {
          priority: 3,
          status: 2,
          subject: 'Lamp',
          description: 'It flickers.',
          email: 'bob@example.com',
          type: 'Question',
        },
      },
    ],
    TICKET,
  ),
  fails(
    ['create_ticket', 'faults of fields are reported'],
    { subject: 'Lamp', description: 'x', email: 'bob' },
    ['POST /tickets', { body: { priority: 1, status: 2, subject: 'Lamp', description: 'x', email: 'bob' } }],
    {
      status: 400,
      json: {
        description: 'Validation failed',
        errors: [{ field: 'email', message: 'It should be a valid email address.', code: 'invalid_value' }],
      },
    },
    { code: 'bad_request', message: 'email: It should be a valid email address.' },
  ),
  gives(
    ['update_ticket', 'a ticket is resolved'],
    { ticket: 20, status: 4 },
    ['PUT /tickets/20', { body: { status: 4 } }],
    { ...TICKET, status: 4 },
  ),
  gives(
    ['reply', 'an answer is sent'],
    { ticket: 20, body: 'Done.' },
    ['POST /tickets/20/reply', { body: { body: 'Done.' } }],
    { id: 43 },
  ),
  gives(
    ['create_note', 'a note is written'],
    { ticket: 20, body: 'Called.', private: true },
    ['POST /tickets/20/notes', { body: { body: 'Called.', private: true } }],
    { id: 44 },
  ),
  fails(
    ['get_me', 'a limit is waited for'],
    {},
    'GET /agents/me',
    { status: 429, headers: { 'retry-after': '30' }, json: { message: 'You have exceeded the limit of requests' } },
    { code: 'rate_limited', message: 'exceeded the limit', retryable: true, retryAfterMs: 30_000 },
  ),
];
