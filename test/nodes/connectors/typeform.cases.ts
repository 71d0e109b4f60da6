import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf({ token: 'tfp_0123456789' }, { authorization: 'Bearer tfp_0123456789' });

const FORM = { id: 'u6nXL7', title: 'How was it?' };
const RESPONSE = { token: 't', submitted_at: '2026-01-01T10:00:00Z', answers: [] };
const thousand = Array.from({ length: 1000 }, (_, index) => ({ ...RESPONSE, token: `t${index}` }));

export const cases = [
  gives(['get_me', 'returns the account'], {}, 'GET /me', { alias: 'Ada', email: 'ada@example.com' }),
  fails(
    ['list_forms', 'a wrong token is rejected'],
    {},
    'GET /forms?page=1&page_size=200',
    { status: 401, json: { code: 'AUTHENTICATION_FAILED', description: 'Authentication credentials not found' } },
    { code: 'AUTHENTICATION_FAILED', message: 'Typeform answered 401: Authentication credentials not found' },
  ),
  pages(
    ['list_forms', 'pages are counted, up to the last'],
    { search: 'was' },
    [
      ['GET /forms?page=1&page_size=200&search=was', { json: { items: [FORM], page_count: 2, total_items: 2 } }],
      [
        'GET /forms?page=2&page_size=200&search=was',
        { json: { items: [{ ...FORM, id: 'u6nXL8' }], page_count: 2, total_items: 2 } },
      ],
    ],
    [FORM, { ...FORM, id: 'u6nXL8' }],
  ),
  gives(['get_form', 'one form'], { form: 'u6nXL7' }, 'GET /forms/u6nXL7', { ...FORM, fields: [] }),
  pages(
    ['list_responses', 'the next page is what comes before the last of this one'],
    { form: 'u6nXL7', since: '2026-01-01T00:00:00Z', limit: 1500 },
    [
      [
        'GET /forms/u6nXL7/responses?page_size=1000&since=2026-01-01T00:00:00Z',
        { json: { items: thousand, page_count: 2, total_items: 1001 } },
      ],
      [
        'GET /forms/u6nXL7/responses?page_size=1000&since=2026-01-01T00:00:00Z&before=t999',
        { json: { items: [RESPONSE], page_count: 1, total_items: 1 } },
      ],
    ],
    [...thousand, RESPONSE],
  ),
  gives(
    ['delete_responses', 'responses go'],
    { form: 'u6nXL7', responses: ['a', 'b'] },
    'DELETE /forms/u6nXL7/responses?included_response_ids=a,b',
    null,
    {},
  ),
  gives(
    ['set_webhook', 'a webhook is set, and its secret is not returned'],
    { form: 'u6nXL7', tag: 'everstep', url: 'https://example.com/hook', enabled: true, secret: 'hidden-word' },
    [
      'PUT /forms/u6nXL7/webhooks/everstep',
      { body: { url: 'https://example.com/hook', enabled: true, secret: 'hidden-word' } },
    ],
    { id: '01D1', tag: 'everstep', url: 'https://example.com/hook', enabled: true, secret: 'hidden-word' },
    { id: '01D1', tag: 'everstep', url: 'https://example.com/hook', enabled: true },
  ),
  fails(
    ['get_me', 'too many at a time may be tried again'],
    {},
    'GET /me',
    { status: 429, json: { code: 'TOO_MANY_REQUESTS', description: 'Too many requests' } },
    { code: 'TOO_MANY_REQUESTS', message: 'Too many requests', retryable: true },
  ),
];
