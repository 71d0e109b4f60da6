import { casesOf } from './case-builders';

const { gives, pages, fails, page } = casesOf({ api_token: '0123456789abcdef' }, { 'x-api-token': '0123456789abcdef' });

const DEAL = { id: 42, title: 'Lamps', value: 5000 };
const done = (data: typeof DEAL | { id: number; name?: string }) => ({ success: true, data });

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /api/v1/users/me', done({ id: 3, name: 'Grace' }), {
    id: 3,
    name: 'Grace',
  }),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /api/v1/users/me',
    { status: 401, json: { success: false, error: 'unauthorized access', errorCode: 401 } },
    { code: 'unauthorized', message: 'Pipedrive answered 401: unauthorized access' },
  ),
  pages(
    ['list_deals', 'pages follow the cursor'],
    { status: 'open', stage_id: 2 },
    [
      [
        'GET /api/v2/deals?limit=500&sort_by=update_time&sort_direction=desc&status=open&stage_id=2',
        { json: { success: true, data: [DEAL], additional_data: { next_cursor: 'eyJ9' } } },
      ],
      [
        'GET /api/v2/deals?limit=500&sort_by=update_time&sort_direction=desc&status=open&stage_id=2&cursor=eyJ9',
        { json: { success: true, data: [{ ...DEAL, id: 43 }], additional_data: { next_cursor: null } } },
      ],
    ],
    [DEAL, { ...DEAL, id: 43 }],
  ),
  gives(['get_deal', 'one deal'], { deal: 42 }, 'GET /api/v2/deals/42', done(DEAL), DEAL),
  gives(
    ['create_deal', 'a deal is made'],
    { title: 'Lamps', value: 5000, currency: 'EUR', person_id: 7 },
    ['POST /api/v2/deals', { body: { title: 'Lamps', value: 5000, currency: 'EUR', person_id: 7 } }],
    done(DEAL),
    DEAL,
  ),
  gives(
    ['update_deal', 'a deal is lost'],
    { deal: 42, status: 'lost', lost_reason: 'Too late' },
    ['PATCH /api/v2/deals/42', { body: { status: 'lost', lost_reason: 'Too late' } }],
    done(DEAL),
    DEAL,
  ),
  page(
    ['search_persons', 'who has that address'],
    { term: 'ada@example.com', exact_match: true },
    'GET /api/v2/persons/search?limit=100&term=ada@example.com&exact_match=true',
    { success: true, data: { items: [{ result_score: 1, item: { id: 7, name: 'Ada' } }] } },
    [{ result_score: 1, item: { id: 7, name: 'Ada' } }],
  ),
  gives(
    ['create_person', 'a person is made'],
    { name: 'Ada', email: 'ada@example.com', phone: '+49301', org_id: 9 },
    [
      'POST /api/v2/persons',
      {
        body: {
          name: 'Ada',
          org_id: 9,
          emails: [{ value: 'ada@example.com', primary: true, label: 'work' }],
          phones: [{ value: '+49301', primary: true, label: 'work' }],
        },
      },
    ],
    done({ id: 7, name: 'Ada' }),
    { id: 7, name: 'Ada' },
  ),
  gives(
    ['create_note', 'a note is written'],
    { content: 'Wants a discount.', deal_id: 42 },
    ['POST /api/v1/notes', { body: { content: 'Wants a discount.', deal_id: 42 } }],
    done({ id: 11 }),
    { id: 11 },
  ),
  fails(
    ['get_me', 'a limit is waited for'],
    {},
    'GET /api/v1/users/me',
    { status: 429, headers: { 'x-ratelimit-reset': '2' }, json: { success: false, error: 'request over limit' } },
    { code: 'rate_limited', message: 'request over limit', retryable: true, retryAfterMs: 2_000 },
  ),
];
