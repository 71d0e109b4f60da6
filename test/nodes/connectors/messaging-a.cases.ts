import type { JsonObject } from '../../../lib/json';
import { casesOf } from './case-builders';

const json = casesOf(
  { access_token: 'EAAJ0123456789', phone_number_id: '106540352242922' },
  { authorization: 'Bearer EAAJ0123456789' },
);
const BASIC = `Basic ${Buffer.from('AC0123456789:t0k3n-t0k3n').toString('base64')}`;
const account = (from: string) =>
  casesOf({ account_sid: 'AC0123456789', auth_token: 't0k3n-t0k3n', from }, { authorization: BASIC });
const form = account('whatsapp:+14155238886');

const NUMBER = '/v23.0/106540352242922';
const FORM = '/2010-04-01/Accounts/AC0123456789/Messages.json';

const ANSWER = {
  messaging_product: 'whatsapp',
  contacts: [{ input: '4915112345678', wa_id: '4915112345678' }],
  messages: [{ id: 'wamid.1' }],
};
const SENT = { id: 'wamid.1', to: '4915112345678', status: 'accepted', answer: ANSWER };
const QUEUED = { sid: 'SM1', to: 'whatsapp:+4915112345678', status: 'queued', body: 'Hello' };
const TAKEN = { id: 'SM1', to: 'whatsapp:+4915112345678', status: 'queued', answer: QUEUED };

const HELLO = { to: '+49 151 12345678', text: 'Hello' };

/** A message of the JSON format. */
const sends = (subject: [string, string], input: JsonObject, message: JsonObject) =>
  json.gives(
    subject,
    input,
    [
      `POST ${NUMBER}/messages`,
      { body: { messaging_product: 'whatsapp', recipient_type: 'individual', to: '4915112345678', ...message } },
    ],
    ANSWER,
    SENT,
  );

/** A message of the form-encoded format. */
const posts = (subject: [string, string], input: JsonObject, members: Record<string, string>) =>
  form.gives(
    subject,
    input,
    [`POST ${FORM}`, { form: { To: 'whatsapp:+4915112345678', From: 'whatsapp:+14155238886', ...members } }],
    QUEUED,
    TAKEN,
  );

const graph = (code: number, message: string) => ({ error: { message, type: 'OAuthException', code } });

const refused = (title: string, status: number, body: JsonObject, failing: Parameters<typeof json.fails>[4]) =>
  json.fails(
    ['mark_read', title],
    { message_id: 'wamid.9' },
    [`POST ${NUMBER}/messages`, { body: { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.9' } }],
    { status, json: body },
    failing,
  );

const cannot = (action: string, input: JsonObject, message: string) =>
  form.talks([action, 'the form-encoded format has none, and nothing is asked'], input, [], {
    failing: { code: 'invalid_config', message },
  });

export const cases = [
  sends(['send_text', 'a text'], HELLO, { type: 'text', text: { body: 'Hello', preview_url: false } }),
  posts(['send_text', 'a text in the form-encoded format'], HELLO, { Body: 'Hello' }),
  account('+14155550100').gives(
    ['send_text', 'a text message, from a number'],
    HELLO,
    [`POST ${FORM}`, { form: { To: '+4915112345678', From: '+14155550100', Body: 'Hello' } }],
    { ...QUEUED, to: '+4915112345678' },
    { ...TAKEN, to: '+4915112345678', answer: { ...QUEUED, to: '+4915112345678' } },
  ),
  account('MG0123456789').gives(
    ['send_text', 'from whichever number of a service fits'],
    { to: 'whatsapp:+4915112345678', text: 'Hello' },
    [`POST ${FORM}`, { form: { To: 'whatsapp:+4915112345678', MessagingServiceSid: 'MG0123456789', Body: 'Hello' } }],
    QUEUED,
    TAKEN,
  ),
  sends(
    ['reply', 'a reply names what it answers'],
    { ...HELLO, message_id: 'wamid.9' },
    { context: { message_id: 'wamid.9' }, type: 'text', text: { body: 'Hello', preview_url: false } },
  ),
  posts(['reply', 'a reply in the format that shows none'], { ...HELLO, message_id: 'SM9' }, { Body: 'Hello' }),
  sends(
    ['send_media', 'a document has a name'],
    { to: HELLO.to, type: 'document', url: 'https://example.com/a.pdf', caption: 'Label', filename: 'a.pdf' },
    { type: 'document', document: { link: 'https://example.com/a.pdf', caption: 'Label', filename: 'a.pdf' } },
  ),
  sends(
    ['send_media', 'a sound has neither caption nor name'],
    { to: HELLO.to, type: 'audio', url: 'https://example.com/a.ogg', caption: 'Label', filename: 'a.ogg' },
    { type: 'audio', audio: { link: 'https://example.com/a.ogg' } },
  ),
  posts(
    ['send_media', 'a file in the form-encoded format'],
    { to: HELLO.to, type: 'image', url: 'https://example.com/a.png', caption: 'Label' },
    { Body: 'Label', MediaUrl: 'https://example.com/a.png' },
  ),
  sends(
    ['send_template', 'plain values stand in the text of a template'],
    { to: HELLO.to, template: 'order_shipped', language: 'de', parameters: ['Ada', '4711'] },
    {
      type: 'template',
      template: {
        name: 'order_shipped',
        language: { code: 'de' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ada' },
              { type: 'text', text: '4711' },
            ],
          },
        ],
      },
    },
  ),
  posts(
    ['send_template', 'a template in the form-encoded format'],
    { to: HELLO.to, template: 'HX0123', parameters: ['Ada'] },
    { ContentSid: 'HX0123', ContentVariables: '{"1":"Ada"}' },
  ),
  sends(
    ['send_buttons', 'buttons to answer with'],
    { ...HELLO, buttons: [{ id: 'yes', title: 'Yes' }] },
    {
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'Hello' },
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
      },
    },
  ),
  cannot(
    'send_buttons',
    { ...HELLO, buttons: [{ id: 'yes', title: 'Yes' }] },
    'buttons are sent only with a connection',
  ),
  json.gives(
    ['mark_read', 'a message was read'],
    { message_id: 'wamid.9' },
    [`POST ${NUMBER}/messages`, { body: { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.9' } }],
    { success: true },
  ),
  cannot('mark_read', { message_id: 'SM9' }, 'messages are marked as read only with a connection'),
  refused('too many to one number may be tried again', 400, graph(131_056, '(#131056) pair rate limit hit'), {
    code: 'error_131056',
    message: 'pair rate limit hit',
    retryable: true,
  }),
  refused('an expired token is recognized by its code', 400, graph(190, 'Session has expired'), {
    code: 'unknown_connection',
    message: 'There is no other connection',
  }),
  refused(
    'the error is shown with its details',
    400,
    { error: { message: '(#100) Invalid parameter', code: 100, error_data: { details: 'message_id is malformed' } } },
    { code: 'error_100', message: '(#100) Invalid parameter: message_id is malformed' },
  ),
  json.gives(
    ['get_sender', 'the number is looked at'],
    {},
    `GET ${NUMBER}?fields=id,display_phone_number,verified_name`,
    { id: '106540352242922', display_phone_number: '+1 555', verified_name: 'Shop' },
    {
      id: '106540352242922',
      name: 'Shop',
      answer: { id: '106540352242922', display_phone_number: '+1 555', verified_name: 'Shop' },
    },
  ),
  form.gives(
    ['get_sender', 'the account is looked at, and its token is left out'],
    {},
    'GET /2010-04-01/Accounts/AC0123456789.json',
    { sid: 'AC0123456789', friendly_name: 'Shop', auth_token: 't0k3n-t0k3n', status: 'active' },
    { id: 'AC0123456789', name: 'Shop', answer: { sid: 'AC0123456789', friendly_name: 'Shop', status: 'active' } },
  ),
  form.fails(
    ['get_sender', 'wrong credentials are rejected'],
    {},
    'GET /2010-04-01/Accounts/AC0123456789.json',
    { status: 401, json: { code: 20_003, message: 'Authenticate', status: 401 } },
    { code: 'error_20003', message: 'WhatsApp answered 401: Authenticate' },
  ),
  casesOf({ phone_number_id: '1' }, {}).talks(
    ['send_text', 'a connection of neither kind says what it needs'],
    HELLO,
    [],
    { failing: { code: 'invalid_config', message: 'the connection needs "access_token" and "phone_number_id", or' } },
  ),
];
