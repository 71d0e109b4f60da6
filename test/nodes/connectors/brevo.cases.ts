import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf({ api_key: 'xkeysib-0123456789' }, { 'api-key': 'xkeysib-0123456789' });

const ADA = { id: 42, email: 'ada@example.com', attributes: { FIRSTNAME: 'Ada' } };
const TO = [{ email: 'ada@example.com' }];
const FROM = { email: 'shop@example.com', name: 'Shop' };
const thousand = Array.from({ length: 1000 }, (_, id) => ({ ...ADA, id }));

export const cases = [
  gives(['get_account', 'returns the account'], {}, 'GET /account', { email: 'ada@example.com', companyName: 'Acme' }),
  fails(
    ['get_account', 'a wrong key is rejected'],
    {},
    'GET /account',
    { status: 401, json: { code: 'unauthorized', message: 'Key not found' } },
    { code: 'unauthorized', message: 'Brevo answered 401: Key not found' },
  ),
  gives(
    ['send', 'a mail is sent'],
    { sender: FROM, to: TO, subject: 'Your order', htmlContent: '<p>Sent</p>', tags: ['orders'] },
    [
      'POST /smtp/email',
      { body: { sender: FROM, to: TO, subject: 'Your order', htmlContent: '<p>Sent</p>', tags: ['orders'] } },
    ],
    { messageId: '<1@relay>' },
  ),
  gives(
    ['send_template', 'a template gets its values'],
    { to: TO, templateId: 12, params: { order: '4711' } },
    ['POST /smtp/email', { body: { to: TO, templateId: 12, params: { order: '4711' } } }],
    { messageId: '<2@relay>' },
  ),
  gives(
    ['send_sms', 'a text message is sent'],
    { sender: 'Acme', recipient: '4930123456', content: 'Sent' },
    ['POST /transactionalSMS/send', { body: { sender: 'Acme', recipient: '4930123456', content: 'Sent' } }],
    { messageId: 1_511_882_900 },
  ),
  gives(['get_contact', 'one contact'], { contact: 'ada@example.com' }, 'GET /contacts/ada%40example.com', ADA),
  pages(
    ['list_contacts', 'pages are counted by what came before'],
    { modifiedSince: '2026-01-01T00:00:00Z', limit: 1001 },
    [
      [
        'GET /contacts?limit=1000&offset=0&modifiedSince=2026-01-01T00:00:00Z',
        { json: { contacts: thousand, count: 1001 } },
      ],
      [
        'GET /contacts?limit=1000&offset=1000&modifiedSince=2026-01-01T00:00:00Z',
        { json: { contacts: [ADA], count: 1001 } },
      ],
    ],
    [...thousand, ADA],
  ),
  gives(
    ['upsert_contact', 'a contact is added'],
    { email: 'ada@example.com', listIds: [2] },
    ['POST /contacts', { body: { email: 'ada@example.com', listIds: [2], updateEnabled: true } }],
    { id: 42 },
  ),
  gives(
    ['upsert_contact', 'one that was there changes, which is answered with nothing'],
    { email: 'ada@example.com', attributes: { FIRSTNAME: 'Ada' } },
    ['POST /contacts', { body: { email: 'ada@example.com', attributes: { FIRSTNAME: 'Ada' }, updateEnabled: true } }],
    null,
    {},
  ),
  gives(['delete_contact', 'a contact goes'], { contact: 42 }, 'DELETE /contacts/42', null, {}),
  fails(
    ['get_account', 'a limit is waited for'],
    {},
    'GET /account',
    {
      status: 429,
      headers: { 'x-sib-ratelimit-reset': '8' },
      json: { code: 'too_many_requests', message: 'Too many requests' },
    },
    { code: 'too_many_requests', message: 'Too many requests', retryable: true, retryAfterMs: 8_000 },
  ),
];
