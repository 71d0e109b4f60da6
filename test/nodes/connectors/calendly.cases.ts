import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf(
  { token: 'eyJraWQi.e30.abc' },
  { authorization: 'Bearer eyJraWQi.e30.abc' },
);

const USER = 'https://api.calendly.com/users/AAAA';
const MEETING = { uri: 'https://api.calendly.com/scheduled_events/GBGB', name: '15 minutes', status: 'active' };

export const cases = [
  gives(
    ['get_me', 'returns the account'],
    {},
    'GET /users/me',
    { resource: { uri: USER, name: 'Ada' } },
    { uri: USER, name: 'Ada' },
  ),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /users/me',
    { status: 401, json: { title: 'Unauthenticated', message: 'The access token is invalid' } },
    { code: 'Unauthenticated', message: 'Calendly answered 401: The access token is invalid' },
  ),
  page(
    ['list_event_types', 'kinds of meetings'],
    { user: USER },
    `GET /event_types?count=100&user=${USER}`,
    { collection: [{ uri: 'x', name: '15 minutes' }], pagination: { next_page_token: null } },
    [{ uri: 'x', name: '15 minutes' }],
  ),
  pages(
    ['list_meetings', 'pages follow the token'],
    { user: USER, status: 'active', min_start_time: '2026-08-01T00:00:00Z' },
    [
      [
        [
          'GET /scheduled_events',
          {
            query: {
              count: '100',
              sort: 'start_time:asc',
              user: USER,
              status: 'active',
              min_start_time: '2026-08-01T00:00:00Z',
            },
          },
        ],
        { json: { collection: [MEETING], pagination: { next_page: 'https://evil.example', next_page_token: 'sNjq' } } },
      ],
      [
        [
          'GET /scheduled_events',
          {
            query: {
              count: '100',
              sort: 'start_time:asc',
              user: USER,
              status: 'active',
              min_start_time: '2026-08-01T00:00:00Z',
              page_token: 'sNjq',
            },
          },
        ],
        { json: { collection: [{ ...MEETING, name: '30 minutes' }], pagination: { next_page_token: null } } },
      ],
    ],
    [MEETING, { ...MEETING, name: '30 minutes' }],
  ),
  gives(
    ['get_meeting', 'one meeting'],
    { event: 'GBGB' },
    'GET /scheduled_events/GBGB',
    { resource: MEETING },
    MEETING,
  ),
  page(
    ['list_invitees', 'who comes'],
    { event: 'GBGB' },
    'GET /scheduled_events/GBGB/invitees?count=100',
    { collection: [{ uri: 'y', name: 'Bob', email: 'bob@example.com' }], pagination: {} },
    [{ uri: 'y', name: 'Bob', email: 'bob@example.com' }],
  ),
  gives(
    ['cancel_meeting', 'a meeting is cancelled'],
    { event: 'GBGB', reason: 'I am ill.' },
    ['POST /scheduled_events/GBGB/cancellation', { body: { reason: 'I am ill.' } }],
    { resource: { canceled_by: 'Ada', reason: 'I am ill.' } },
    { canceled_by: 'Ada', reason: 'I am ill.' },
  ),
  fails(
    ['cancel_meeting', 'one that is cancelled already is reported'],
    { event: 'GBGB' },
    ['POST /scheduled_events/GBGB/cancellation', { body: {} }],
    { status: 403, json: { title: 'Permission Denied', message: 'Event is already canceled' } },
    { code: 'Permission_Denied', message: 'Event is already canceled' },
  ),
  gives(
    ['create_link', 'a link for one meeting'],
    { event_type: 'https://api.calendly.com/event_types/BBBB' },
    [
      'POST /scheduling_links',
      { body: { max_event_count: 1, owner: 'https://api.calendly.com/event_types/BBBB', owner_type: 'EventType' } },
    ],
    { resource: { booking_url: 'https://calendly.com/d/abc', owner: 'x', owner_type: 'EventType' } },
    { booking_url: 'https://calendly.com/d/abc', owner: 'x', owner_type: 'EventType' },
  ),
  fails(
    ['get_me', 'a limit is waited for'],
    {},
    'GET /users/me',
    { status: 429, headers: { 'x-ratelimit-reset': '47' }, json: { title: 'Too Many Requests', message: 'Slow down' } },
    { code: 'Too_Many_Requests', message: 'Slow down', retryable: true, retryAfterMs: 47_000 },
  ),
];
