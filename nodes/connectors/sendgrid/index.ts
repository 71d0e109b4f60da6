import type { Json, JsonObject } from '../../../lib/json';
import { bearer, fieldOr } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, NOTHING, nothing, pick, settles, shown } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt, byOffset } from '../http/pages';
import { untilIn, worded } from '../http/error-text';
import { integer, list, object, outputOf, record, text } from '../schemas';

const ADDRESS = (title: string, description: string) =>
  object(
    {
      email: text('E-mail address', 'Where to.', 'ada@example.com'),
      name: text('Name', 'Whose it is.', 'Ada Lovelace'),
    },
    title,
    description,
    { required: ['email'], sample: { email: 'ada@example.com', name: 'Ada Lovelace' } },
  );
const ADDRESSES = (title: string, description: string, further = {}) =>
  list(ADDRESS('Address', 'Of one person.'), title, description, [{ email: 'ada@example.com' }], further);
const FROM = ADDRESS('From', 'A sender that SendGrid has verified.');
const WHOM = {
  cc: ADDRESSES('Copy', 'Who gets a copy, and is seen.'),
  bcc: ADDRESSES('Blind copy', 'Who gets a copy, and is not seen.'),
  reply_to: ADDRESS('Reply to', 'Where answers go.'),
};
const FURTHER = {
  categories: list({ type: 'string' }, 'Categories', 'By which it is counted.', ['orders'], { maxItems: 10 }),
  send_at: integer('Send at', 'Seconds since 1970, at most 72 hours ahead.', 1_893_456_000),
};
const SENT = outputOf({ message_id: text('Message', 'What SendGrid calls it.', '14c5d75ce93.dfd.64b469') });

const contentsOf = (plain: Json | undefined, html: Json | undefined): JsonObject[] =>
  [
    { type: 'text/plain', value: plain },
    { type: 'text/html', value: html },
  ].flatMap(({ type, value }) => (value === undefined ? [] : [{ type, value }]));

const mailTo = (input: JsonObject, further: JsonObject): JsonObject => ({
  personalizations: [{ ...pick(input, 'to', 'cc', 'bcc'), ...further }],
  ...pick(input, 'from', 'reply_to', ...Object.keys(FURTHER)),
});

const read: HttpAction['read'] = ({ headers }) => ({ message_id: headers['x-message-id'] ?? null });

const actions: readonly HttpAction[] = [
  asks('list_scopes', 'List scopes', 'What the key may do.', {
    output: outputOf({ scopes: list({ type: 'string' }, 'Scopes', 'Words.', ['mail.send']) }),
    call: 'GET /v3/scopes',
  }),
  does('send', 'Send a mail', 'Sends a mail as text, HTML, or both.', {
    needs: {
      to: ADDRESSES('To', 'Who gets it.', { minItems: 1 }),
      from: FROM,
      subject: text('Subject', 'What it is about.', 'Your order', { minLength: 1 }),
    },
    may: {
      ...WHOM,
      text: text('Text', 'Plain text.', 'It is on its way.', { minLength: 1 }),
      html: text('HTML', 'The same, laid out.', '<p>It is on its way.</p>', { minLength: 1 }),
      ...FURTHER,
    },
    output: SENT,
    request: (input) => ({
      method: 'POST',
      url: '/v3/mail/send',
      body: { ...mailTo(input, {}), ...pick(input, 'subject'), content: contentsOf(input.text, input.html) },
    }),
    read,
  }),
  does('send_template', 'Send a template', 'Sends a dynamic template with data.', {
    needs: {
      to: ADDRESSES('To', 'Who gets it.', { minItems: 1 }),
      from: FROM,
      template_id: text('Template', 'Its id.', 'd-0123456789abcdef', { minLength: 1 }),
    },
    may: { ...WHOM, data: record('Data', 'What the template shows.', { order: '4711' }), ...FURTHER },
    output: SENT,
    request: (input) => ({
      method: 'POST',
      url: '/v3/mail/send',
      body: {
        ...mailTo(input, input.data === undefined ? {} : { dynamic_template_data: input.data }),
        ...pick(input, 'template_id'),
      },
    }),
    read,
  }),
  settles(
    'upsert_contacts',
    'Add or change contacts',
    'Adds contacts to Marketing Campaigns; SendGrid does so within minutes.',
    {
      needs: {
        contacts: list(
          record('Contact', 'Reserved fields, and `custom_fields`.'),
          'Contacts',
          'Each with an `email`.',
          [{ email: 'ada@example.com', first_name: 'Ada' }],
          { minItems: 1, maxItems: 30_000 },
        ),
      },
      may: { list_ids: list({ type: 'string' }, 'Lists', 'Ids of lists.', ['a3fd1b2c-0000-4000-8000-000000000000']) },
      output: outputOf({ job_id: text('Job', 'What does it.', '2d15d4a7-0000-4000-8000-000000000000') }),
      call: 'PUT /v3/marketing/contacts',
    },
  ),
  asks('list_bounces', 'List bounces', 'Addresses that mails came back from.', {
    may: { start_time: integer('Since', 'Seconds since 1970.', 1_767_225_600) },
    item: outputOf({
      email: text('E-mail address', 'That does not take mails.', 'bob@example.com'),
      reason: text('Reason', 'The answer of its server.', '550 no such user'),
    }),
    call: 'GET /v3/suppression/bounces',
    query: { limit: 500, offset: 0 },
    pages: byOffset({ items: '', offset: 'offset', size: 'limit' }),
  }),
  settles('delete_bounce', 'Forget a bounce', 'Sends mails to an address again.', {
    needs: { email: text('E-mail address', 'That bounced.', 'bob@example.com', { minLength: 1 }) },
    output: NOTHING,
    call: 'DELETE /v3/suppression/bounces/{email}',
    read: nothing,
  }),
];

export const sendgrid: Connector = {
  name: 'sendgrid',
  title: 'SendGrid',
  description: 'Mails, contacts and addresses that bounce.',
  category: 'Marketing',
  docs: 'https://www.twilio.com/docs/sendgrid/api-reference',
  auth: {
    required: true,
    fields: [
      hidden('api_key', 'API key', 'Settings, API Keys.', 'SG.0123456789abcdef'),
      shown('region', 'Region', '`eu` where the account is kept there; else nothing.', 'eu', { required: false }),
    ],
  },
  base: (account) => (fieldOr(account, 'region') === 'eu' ? 'https://api.eu.sendgrid.com' : 'https://api.sendgrid.com'),
  sign: bearer('api_key'),
  fault: worded({
    message: [
      (answer) => {
        const field = bodyAt(answer, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(answer);
        return message === null || typeof field !== 'string' ? message : `${field}: ${message}`;
      },
    ],
    wait: untilIn('x-ratelimit-reset'),
  }),
  probe: { action: 'list_scopes', input: {} },
  actions,
};
