import { isObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { HttpAction } from '../contract';
import { byOffset } from '../http/pages';
import { codeAt, secondsInHeader, faultFrom } from '../http/error-text';
import { anyId, choice, filledText, flag, integer, list, object, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const PERSON = (description: string) =>
  object({ email: text('Email address.', 'ada@example.com'), name: text('Name.', 'Ada Lovelace') }, description, {
    required: ['email'],
    example: { email: 'ada@example.com' },
  });
const TO = list(PERSON('Email address and name of a person.'), 'Recipients.', [{ email: 'ada@example.com' }], {
  minItems: 1,
});
const SENDER = PERSON('A verified sender.');
const CONTACT = { contact: anyId('Email address or ID of the contact.', 'ada@example.com') };
const ATTRIBUTES = record('Values by attribute name.', { FIRSTNAME: 'Ada' });
const LIST_IDS = list({ type: 'integer' }, 'IDs of lists.', [2]);
const SENT = outputOf({ messageId: text('ID of the message.', '<2026@relay.example.com>') });
const MORE = {
  replyTo: PERSON('Address for replies.'),
  tags: list({ type: 'string' }, 'Tags for statistics.', ['orders']),
  params: record('Values for `{{ params.x }}` in the mail.', { order: '4711' }),
};

const actions: readonly HttpAction[] = [
  readAction('get_account', 'Returns the account that the key belongs to.', {
    output: outputOf({
      email: text('Email of the account.', 'ada@example.com'),
      companyName: text('Company name of the account.', 'Acme'),
    }),
    call: 'GET /account',
  }),
  writeAction('send', 'Sends an email with HTML, text, or both.', {
    required: { sender: SENDER, to: TO, subject: filledText('Subject.', 'Your order') },
    optional: {
      htmlContent: text('HTML body.', '<p>It is on its way.</p>'),
      textContent: text('Plain text.', 'It is on its way.'),
      ...MORE,
    },
    output: SENT,
    call: 'POST /smtp/email',
  }),
  writeAction('send_template', 'Sends an email from a template.', {
    required: { to: TO, templateId: integer('ID of the template.', 12, { minimum: 1 }) },
    optional: MORE,
    output: SENT,
    call: 'POST /smtp/email',
  }),
  writeAction('send_sms', 'Sends an SMS.', {
    required: {
      sender: filledText('Sender name of up to eleven letters, or a number.', 'Acme', { maxLength: 15 }),
      recipient: text('Phone number with country code.', '4930123456', { minLength: 5 }),
      content: filledText('Text of the message.', 'It is on its way.'),
    },
    optional: { type: choice(['transactional', 'marketing'], 'Type of the message.', { default: 'transactional' }) },
    output: outputOf({ messageId: anyId('ID of the message.', 1_511_882_900_176_220) }),
    call: 'POST /transactionalSMS/send',
  }),
  readAction('get_contact', 'Returns a contact.', {
    required: CONTACT,
    output: outputOf({ id: integer('ID of the contact.', 42), attributes: ATTRIBUTES }),
    call: 'GET /contacts/{contact}',
  }),
  readAction('list_contacts', 'Lists contacts, optionally only those changed since a time.', {
    optional: { modifiedSince: text('Time in ISO 8601 format.', '2026-01-01T00:00:00Z') },
    item: outputOf({ id: integer('ID of the contact.', 42), attributes: ATTRIBUTES }),
    call: 'GET /contacts',
    query: { limit: 1000, offset: 0 },
    pages: byOffset({ items: 'contacts', offset: 'offset', size: 'limit' }),
  }),
  idempotentWrite('upsert_contact', 'Creates a contact, or updates the contact with this email address.', {
    required: { email: text('Email of the contact.', 'ada@example.com', { minLength: 3 }) },
    optional: {
      attributes: ATTRIBUTES,
      listIds: LIST_IDS,
      emailBlacklisted: flag('Excludes the contact from campaign emails.'),
    },
    output: outputOf({ id: integer('ID of a new contact.', 42) }),
    call: 'POST /contacts',
    body: { updateEnabled: true },
    // One that was changed is answered with nothing.
    read: ({ body }) => (isObject(body) ? pick(body, 'id') : {}),
  }),
  idempotentWrite('delete_contact', 'Deletes a contact.', {
    required: CONTACT,
    ...NO_OUTPUT,
    call: 'DELETE /contacts/{contact}',
  }),
];

export const brevo = defineConnector({
  name: 'brevo',
  title: 'Brevo',
  description: 'Send emails and SMS; manage contacts.',
  category: 'Marketing',
  docs: 'https://developers.brevo.com/reference',

  fields: [secretField('api_key', 'API key', 'Settings > SMTP & API > API keys.', 'xkeysib-0123456789abcdef')],
  base: 'https://api.brevo.com/v3',
  sign: headerKey('api-key', 'api_key'),
  fault: faultFrom({ code: codeAt('code'), retryAfterMs: secondsInHeader('x-sib-ratelimit-reset') }),
  connectionTest: 'get_account',
  actions,
});
