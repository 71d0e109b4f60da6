import { ANSWERED, ANSWERED_SECONDS, casesOf } from './case-builders';
import type { ConnectorCase } from './connector-case';

const { gives, pages, fails } = casesOf({ api_key: 'SG.0123456789' }, { authorization: 'Bearer SG.0123456789' });

const TO = [{ email: 'ada@example.com', name: 'Ada' }];
const FROM = { email: 'shop@example.com' };
const BOUNCE = { created: 1443651125, email: 'bob@example.com', reason: '550 no such user', status: '5.1.1' };
const full = Array.from({ length: 500 }, (_, index) => ({ ...BOUNCE, email: `bob${index}@example.com` }));

/** Mails are taken with nothing but a header. */
const accepted = (one: ConnectorCase): ConnectorCase => ({
  ...one,
  answers: [{ status: 202, headers: { 'x-message-id': '14c5' } }],
});

export const cases = [
  gives(['list_scopes', 'what the key may do'], {}, 'GET /v3/scopes', { scopes: ['mail.send'] }),
  fails(
    ['list_scopes', 'a wrong key is rejected'],
    {},
    'GET /v3/scopes',
    { status: 401, json: { errors: [{ field: null, message: 'authorization required' }] } },
    { code: 'unauthorized', message: 'SendGrid answered 401: authorization required' },
  ),
  accepted(
    gives(
      ['send', 'text comes before HTML, as SendGrid wants'],
      { to: TO, from: FROM, subject: 'Your order', html: '<p>Sent</p>', text: 'Sent', reply_to: FROM },
      [
        'POST /v3/mail/send',
        {
          body: {
            personalizations: [{ to: TO }],
            from: FROM,
            reply_to: FROM,
            subject: 'Your order',
            content: [
              { type: 'text/plain', value: 'Sent' },
              { type: 'text/html', value: '<p>Sent</p>' },
            ],
          },
        },
      ],
      null,
      { message_id: '14c5' },
    ),
  ),
  fails(
    ['send', 'faults of fields are reported'],
    { to: TO, from: FROM, subject: 'x', text: 'x' },
    [
      'POST /v3/mail/send',
      {
        body: {
          personalizations: [{ to: TO }],
          from: FROM,
          subject: 'x',
          content: [{ type: 'text/plain', value: 'x' }],
        },
      },
    ],
    {
      status: 403,
      json: { errors: [{ field: 'from', message: 'The from address does not match a verified Sender' }] },
    },
    { code: 'forbidden', message: 'from: The from address does not match' },
  ),
  accepted(
    gives(
      ['send_template', 'a template gets its data'],
      { to: TO, from: FROM, template_id: 'd-01', data: { order: '4711' } },
      [
        'POST /v3/mail/send',
        {
          body: {
            personalizations: [{ to: TO, dynamic_template_data: { order: '4711' } }],
            from: FROM,
            template_id: 'd-01',
          },
        },
      ],
      null,
      { message_id: '14c5' },
    ),
  ),
  gives(
    ['upsert_contacts', 'contacts are taken'],
    { contacts: [{ email: 'ada@example.com' }], list_ids: ['a3fd'] },
    ['PUT /v3/marketing/contacts', { body: { contacts: [{ email: 'ada@example.com' }], list_ids: ['a3fd'] } }],
    { job_id: '2d15' },
  ),
  pages(
    ['list_bounces', 'pages are counted by what came before'],
    { start_time: 1, limit: 501 },
    [
      ['GET /v3/suppression/bounces?limit=500&offset=0&start_time=1', { json: full }],
      ['GET /v3/suppression/bounces?limit=500&offset=500&start_time=1', { json: [BOUNCE] }],
    ],
    [...full, BOUNCE],
  ),
  gives(
    ['delete_bounce', 'a bounce is forgotten'],
    { email: 'bob@example.com' },
    'DELETE /v3/suppression/bounces/bob%40example.com',
    null,
    {},
  ),
  fails(
    ['list_scopes', 'a limit is waited for'],
    {},
    'GET /v3/scopes',
    {
      status: 429,
      headers: { ...ANSWERED, 'x-ratelimit-reset': String(ANSWERED_SECONDS + 5) },
      json: { errors: [{ field: null, message: 'too many requests' }] },
    },
    { code: 'rate_limited', message: 'too many requests', retryable: true, retryAfterMs: 5_000 },
  ),
];
