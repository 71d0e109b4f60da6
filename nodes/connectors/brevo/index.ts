import { isObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { byOffset } from '../http/pages';
import { codeAt, secondsInHeader, faultFrom } from '../http/error-text';
import { anyId, choice, filledText, flag, integer, list, object, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const PERSON = (description: string) =>
  object(
    {
      email: text('Where to.', 'ada@example.com'),
      name: text('Whose it is.', 'Ada Lovelace'),
    },
    description,
    { required: ['email'], example: { email: 'ada@example.com' } },
  );
const TO = list(PERSON('Of one person.'), 'Who gets it.', [{ email: 'ada@example.com' }], {
  minItems: 1,
});
const SENDER = PERSON('A sender that Brevo has verified.');
const CONTACT = { contact: anyId('The e-mail address, or the number of the contact.', 'ada@example.com') };
const ATTRIBUTES = record('Values by the names of the attributes.', { FIRSTNAME: 'Ada' });
const LIST_IDS = list({ type: 'integer' }, 'Numbers of lists.', [2]);
const SENT = outputOf({ messageId: text('What Brevo calls it.', '<2026@relay.example.com>') });
const MORE = {
  replyTo: PERSON('Where answers go.'),
  tags: list({ type: 'string' }, 'By which it is counted.', ['orders']),
  params: record('What the mail shows as `{{ params.x }}`.', { order: '4711' }),
};

const actions: readonly HttpAction[] = [
  readAction('get_account', 'The account that the key belongs to.', {
    output: outputOf({
      email: text('Of the account.', 'ada@example.com'),
      companyName: text('Of the account.', 'Acme'),
    }),
    call: 'GET /account',
  }),
  writeAction('send', 'Sends a mail as HTML, text, or both.', {
    required: { sender: SENDER, to: TO, subject: filledText('What it is about.', 'Your order') },
    optional: {
      htmlContent: text('Laid out.', '<p>It is on its way.</p>'),
      textContent: text('Plain text.', 'It is on its way.'),
      ...MORE,
    },
    output: SENT,
    call: 'POST /smtp/email',
  }),
  writeAction('send_template', 'Sends a template with values.', {
    required: { to: TO, templateId: integer('Its number.', 12, { minimum: 1 }) },
    optional: MORE,
    output: SENT,
    call: 'POST /smtp/email',
  }),
  writeAction('send_sms', 'Sends a text message to a telephone.', {
    required: {
      sender: filledText('Up to eleven letters or a number.', 'Acme', { maxLength: 15 }),
      recipient: text('A number with its country.', '4930123456', { minLength: 5 }),
      content: filledText('What it says.', 'It is on its way.'),
    },
    optional: { type: choice(['transactional', 'marketing'], 'Of the message.', { default: 'transactional' }) },
    output: outputOf({ messageId: anyId('What Brevo calls it.', 1_511_882_900_176_220) }),
    call: 'POST /transactionalSMS/send',
  }),
  readAction('get_contact', 'One contact.', {
    required: CONTACT,
    output: outputOf({ id: integer('Of the contact.', 42), attributes: ATTRIBUTES }),
    call: 'GET /contacts/{contact}',
  }),
  readAction('list_contacts', 'Contacts, those that changed since.', {
    optional: { modifiedSince: text('An instant.', '2026-01-01T00:00:00Z') },
    item: outputOf({ id: integer('Of the contact.', 42), attributes: ATTRIBUTES }),
    call: 'GET /contacts',
    query: { limit: 1000, offset: 0 },
    pages: byOffset({ items: 'contacts', offset: 'offset', size: 'limit' }),
  }),
  idempotentWrite('upsert_contact', 'Changes the contact with an address, or adds one.', {
    required: { email: text('Of the contact.', 'ada@example.com', { minLength: 3 }) },
    optional: {
      attributes: ATTRIBUTES,
      listIds: LIST_IDS,
      emailBlacklisted: flag('The contact gets no mails of campaigns.'),
    },
    output: outputOf({ id: integer('Of a contact that was added.', 42) }),
    call: 'POST /contacts',
    body: { updateEnabled: true },
    // One that was changed is answered with nothing.
    read: ({ body }) => (isObject(body) ? pick(body, 'id') : {}),
  }),
  idempotentWrite('delete_contact', 'Takes a contact away.', {
    required: CONTACT,
    ...NO_OUTPUT,
    call: 'DELETE /contacts/{contact}',
  }),
];

export const brevo = defineConnector({
  name: 'brevo',
  title: 'Brevo',
  description: 'Mails, text messages and contacts.',
  category: 'Marketing',
  docs: 'https://developers.brevo.com/reference',

  fields: [secretField('api_key', 'API key', 'Settings, SMTP & API, API keys.', 'xkeysib-0123456789abcdef')],
  base: 'https://api.brevo.com/v3',
  sign: headerKey('api-key', 'api_key'),
  fault: faultFrom({ code: codeAt('code'), retryAfterMs: secondsInHeader('x-sib-ratelimit-reset') }),
  probe: 'get_account',
  actions,
});
