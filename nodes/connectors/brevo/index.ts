import { isObject } from '../../../lib/json';
import { headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden, NOTHING, nothing, pick, settles } from '../define';
import { byOffset } from '../http/pages';
import { codeAt, secondsIn, worded } from '../http/error-text';
import { choice, flag, idOf, integer, list, object, outputOf, record, text } from '../schemas';

const PERSON = (title: string, description: string) =>
  object(
    {
      email: text('E-mail address', 'Where to.', 'ada@example.com'),
      name: text('Name', 'Whose it is.', 'Ada Lovelace'),
    },
    title,
    description,
    { required: ['email'], sample: { email: 'ada@example.com' } },
  );
const TO = list(PERSON('Address', 'Of one person.'), 'To', 'Who gets it.', [{ email: 'ada@example.com' }], {
  minItems: 1,
});
const SENDER = PERSON('From', 'A sender that Brevo has verified.');
const CONTACT = { contact: idOf('Contact', 'The e-mail address, or the number of the contact.', 'ada@example.com') };
const ATTRIBUTES = record('Attributes', 'Values by the names of the attributes.', { FIRSTNAME: 'Ada' });
const LIST_IDS = list({ type: 'integer' }, 'Lists', 'Numbers of lists.', [2]);
const SENT = outputOf({ messageId: text('Message', 'What Brevo calls it.', '<2026@relay.example.com>') });
const MORE = {
  replyTo: PERSON('Reply to', 'Where answers go.'),
  tags: list({ type: 'string' }, 'Tags', 'By which it is counted.', ['orders']),
  params: record('Values', 'What the mail shows as `{{ params.x }}`.', { order: '4711' }),
};

const actions: readonly HttpAction[] = [
  asks('get_account', 'Get my account', 'The account that the key belongs to.', {
    output: outputOf({
      email: text('E-mail address', 'Of the account.', 'ada@example.com'),
      companyName: text('Company', 'Of the account.', 'Acme'),
    }),
    call: 'GET /account',
  }),
  does('send', 'Send a mail', 'Sends a mail as HTML, text, or both.', {
    needs: { sender: SENDER, to: TO, subject: text('Subject', 'What it is about.', 'Your order', { minLength: 1 }) },
    may: {
      htmlContent: text('HTML', 'Laid out.', '<p>It is on its way.</p>'),
      textContent: text('Text', 'Plain text.', 'It is on its way.'),
      ...MORE,
    },
    output: SENT,
    call: 'POST /smtp/email',
  }),
  does('send_template', 'Send a template', 'Sends a template with values.', {
    needs: { to: TO, templateId: integer('Template', 'Its number.', 12, { minimum: 1 }) },
    may: MORE,
    output: SENT,
    call: 'POST /smtp/email',
  }),
  does('send_sms', 'Send a text message', 'Sends a text message to a telephone.', {
    needs: {
      sender: text('From', 'Up to eleven letters or a number.', 'Acme', { minLength: 1, maxLength: 15 }),
      recipient: text('To', 'A number with its country.', '4930123456', { minLength: 5 }),
      content: text('Text', 'What it says.', 'It is on its way.', { minLength: 1 }),
    },
    may: { type: choice(['transactional', 'marketing'], 'Kind', 'Of the message.', { default: 'transactional' }) },
    output: outputOf({ messageId: idOf('Message', 'What Brevo calls it.', 1_511_882_900_176_220) }),
    call: 'POST /transactionalSMS/send',
  }),
  asks('get_contact', 'Get a contact', 'One contact.', {
    needs: CONTACT,
    output: outputOf({ id: integer('Number', 'Of the contact.', 42), attributes: ATTRIBUTES }),
    call: 'GET /contacts/{contact}',
  }),
  asks('list_contacts', 'List contacts', 'Contacts, those that changed since.', {
    may: { modifiedSince: text('Changed since', 'An instant.', '2026-01-01T00:00:00Z') },
    item: outputOf({ id: integer('Number', 'Of the contact.', 42), attributes: ATTRIBUTES }),
    call: 'GET /contacts',
    query: { limit: 1000, offset: 0 },
    pages: byOffset({ items: 'contacts', offset: 'offset', size: 'limit' }),
  }),
  settles('upsert_contact', 'Add or change a contact', 'Changes the contact with an address, or adds one.', {
    needs: { email: text('E-mail address', 'Of the contact.', 'ada@example.com', { minLength: 3 }) },
    may: {
      attributes: ATTRIBUTES,
      listIds: LIST_IDS,
      emailBlacklisted: flag('No mails', 'The contact gets no mails of campaigns.'),
    },
    output: outputOf({ id: integer('Number', 'Of a contact that was added.', 42) }),
    call: 'POST /contacts',
    body: { updateEnabled: true },
    // One that was changed is answered with nothing.
    read: ({ body }) => (isObject(body) ? pick(body, 'id') : {}),
  }),
  settles('delete_contact', 'Delete a contact', 'Takes a contact away.', {
    needs: CONTACT,
    output: NOTHING,
    call: 'DELETE /contacts/{contact}',
    read: nothing,
  }),
];

export const brevo: Connector = {
  name: 'brevo',
  title: 'Brevo',
  description: 'Mails, text messages and contacts.',
  category: 'Marketing',
  docs: 'https://developers.brevo.com/reference',
  auth: {
    required: true,
    fields: [hidden('api_key', 'API key', 'Settings, SMTP & API, API keys.', 'xkeysib-0123456789abcdef')],
  },
  base: () => 'https://api.brevo.com/v3',
  sign: headerKey('api-key', 'api_key'),
  fault: worded({ code: codeAt('code'), wait: secondsIn('x-sib-ratelimit-reset') }),
  probe: { action: 'get_account', input: {} },
  actions,
};
