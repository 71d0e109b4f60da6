import type { Json, JsonObject } from '../../../lib/json';
import { bearer, fieldOr } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byOffset } from '../http/pages';
import { timeInHeader, faultFrom } from '../http/error-text';
import { filledText, integer, list, object, outputOf, record, text } from '../../schema';
import { plainField, secretField } from '../credentials';
import { pick } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const ADDRESS = (description: string) =>
  object({ email: text('Email address.', 'ada@example.com'), name: text('Name.', 'Ada Lovelace') }, description, {
    required: ['email'],
    example: { email: 'ada@example.com', name: 'Ada Lovelace' },
  });
const ADDRESSES = (description: string, further = {}) =>
  list(ADDRESS('Email address and name of a person.'), description, [{ email: 'ada@example.com' }], further);
const FROM = ADDRESS('A verified sender.');
const WHOM = {
  cc: ADDRESSES('Recipients of a copy.'),
  bcc: ADDRESSES('Recipients of a blind copy.'),
  reply_to: ADDRESS('Address for replies.'),
};
const FURTHER = {
  categories: list({ type: 'string' }, 'Tags for statistics.', ['orders'], { maxItems: 10 }),
  send_at: integer('Time to send in seconds since 1970, at most 72 hours ahead.', 1_893_456_000),
};
const SENT = outputOf({ message_id: text('ID of the message.', '14c5d75ce93.dfd.64b469') });

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
  readAction('list_scopes', 'Lists the permissions of the key.', {
    output: outputOf({ scopes: list({ type: 'string' }, 'Scopes or tags.', ['mail.send']) }),
    call: 'GET /v3/scopes',
  }),
  writeAction('send', 'Sends an email with text, HTML, or both.', {
    required: {
      to: ADDRESSES('Recipients.', { minItems: 1 }),
      from: FROM,
      subject: filledText('Subject.', 'Your order'),
    },
    optional: {
      ...WHOM,
      text: filledText('Plain text.', 'It is on its way.'),
      html: filledText('HTML body.', '<p>It is on its way.</p>'),
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
  writeAction('send_template', 'Sends an email from a dynamic template.', {
    required: {
      to: ADDRESSES('Recipients.', { minItems: 1 }),
      from: FROM,
      template_id: filledText('ID of the template.', 'd-0123456789abcdef'),
    },
    optional: { ...WHOM, data: record('Values for the template.', { order: '4711' }), ...FURTHER },
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
  idempotentWrite('upsert_contacts', 'Adds contacts to Marketing Campaigns; processed within minutes.', {
    required: {
      contacts: list(
        record('Reserved fields and `custom_fields`.'),
        'Contacts, each with an `email`.',
        [{ email: 'ada@example.com', first_name: 'Ada' }],
        { minItems: 1, maxItems: 30_000 },
      ),
    },
    optional: { list_ids: list({ type: 'string' }, 'IDs of lists.', ['a3fd1b2c-0000-4000-8000-000000000000']) },
    output: outputOf({ job_id: text('ID of the job.', '2d15d4a7-0000-4000-8000-000000000000') }),
    call: 'PUT /v3/marketing/contacts',
  }),
  readAction('list_bounces', 'Lists addresses that bounced.', {
    optional: { start_time: integer('Start time in seconds since 1970.', 1_767_225_600) },
    item: outputOf({
      email: text('Address that bounced.', 'bob@example.com'),
      reason: text('Response of the mail server.', '550 no such user'),
    }),
    call: 'GET /v3/suppression/bounces',
    query: { limit: 500, offset: 0 },
    pages: byOffset({ items: '', offset: 'offset', size: 'limit' }),
  }),
  idempotentWrite('delete_bounce', 'Removes an address from the bounce list.', {
    required: { email: filledText('Address that bounced.', 'bob@example.com') },
    ...NO_OUTPUT,
    call: 'DELETE /v3/suppression/bounces/{email}',
  }),
];

export const sendgrid = defineConnector({
  name: 'sendgrid',
  title: 'SendGrid',
  description: 'Send emails; manage contacts and bounces.',
  category: 'Marketing',
  docs: 'https://www.twilio.com/docs/sendgrid/api-reference',

  fields: [
    secretField('api_key', 'API key', 'Settings > API Keys.', 'SG.0123456789abcdef'),
    plainField('region', 'Region', '`eu` for EU accounts; otherwise empty.', 'eu', { required: false }),
  ],
  base: (account) => (fieldOr(account, 'region') === 'eu' ? 'https://api.eu.sendgrid.com' : 'https://api.sendgrid.com'),
  sign: bearer('api_key'),
  fault: faultFrom({
    message: [
      (response) => {
        const field = bodyAt(response, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(response);
        return message === null || typeof field !== 'string' ? message : `${field}: ${message}`;
      },
    ],
    retryAfterMs: timeInHeader('x-ratelimit-reset'),
  }),
  connectionTest: 'list_scopes',
  actions,
});
