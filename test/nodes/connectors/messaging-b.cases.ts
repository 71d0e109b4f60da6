import type { JsonObject } from '../../../lib/json';
import { casesOf } from './case-builders';

const TOKEN = { access_token: 'EAAJ0123456789' };
const SIGNED = { authorization: 'Bearer EAAJ0123456789' };
const { gives, fails } = casesOf(TOKEN, SIGNED);
const instagram = casesOf({ ...TOKEN, platform: 'instagram', page_id: '178414' }, SIGNED);

const PERSON = '6163822547017463';
const SENT = { recipient_id: PERSON, message_id: 'm_1' };
const HELLO = { to: PERSON, text: 'Hello' };

const sends = (subject: [string, string], input: JsonObject, members: JsonObject) =>
  gives(
    subject,
    { to: PERSON, ...input },
    ['POST /v23.0/me/messages', { body: { recipient: { id: PERSON }, ...members } }],
    SENT,
  );

const refused = (title: string, code: number, message: string, failing: Parameters<typeof fails>[4]) =>
  fails(
    ['send_text', title],
    HELLO,
    [
      'POST /v23.0/me/messages',
      { body: { recipient: { id: PERSON }, messaging_type: 'RESPONSE', message: { text: 'Hello' } } },
    ],
    { status: 400, json: { error: { message, type: 'OAuthException', code } } },
    failing,
  );

export const cases = [
  sends(['send_text', 'a text'], { text: 'Hello' }, { messaging_type: 'RESPONSE', message: { text: 'Hello' } }),
  sends(
    ['send_text', 'a text later than usual, which its tag allows'],
    { text: 'Hello', messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' },
    { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT', message: { text: 'Hello' } },
  ),
  instagram.gives(
    ['send_text', 'a text of an account of Instagram'],
    HELLO,
    [
      'POST /v23.0/178414/messages',
      { body: { recipient: { id: PERSON }, messaging_type: 'RESPONSE', message: { text: 'Hello' } } },
    ],
    SENT,
  ),
  sends(
    ['send_attachment', 'a file at an address'],
    { type: 'image', url: 'https://example.com/a.png' },
    {
      messaging_type: 'RESPONSE',
      message: { attachment: { type: 'image', payload: { url: 'https://example.com/a.png' } } },
    },
  ),
  sends(
    ['send_quick_replies', 'answers to choose from'],
    { text: 'Ship?', replies: [{ title: 'Yes', payload: 'yes' }, { title: 'No' }] },
    {
      messaging_type: 'RESPONSE',
      message: {
        text: 'Ship?',
        quick_replies: [
          { content_type: 'text', title: 'Yes', payload: 'yes' },
          { content_type: 'text', title: 'No', payload: 'No' },
        ],
      },
    },
  ),
  gives(
    ['send_action', 'typing is shown'],
    { to: PERSON, action: 'typing_on' },
    ['POST /v23.0/me/messages', { body: { recipient: { id: PERSON }, sender_action: 'typing_on' } }],
    { recipient_id: PERSON },
  ),
  gives(
    ['get_profile', 'a person is looked at'],
    { user_id: PERSON },
    `GET /v23.0/${PERSON}?fields=id,name,first_name,last_name,profile_pic`,
    { first_name: 'Ada' },
    { id: PERSON, first_name: 'Ada' },
  ),
  gives(['whoami', 'the page is looked at'], {}, 'GET /v23.0/me?fields=id,name', { id: '1', name: 'Shop' }),
  fails(
    ['whoami', 'a wrong token is rejected'],
    {},
    'GET /v23.0/me?fields=id,name',
    { status: 401, json: { error: { message: 'Invalid OAuth access token', code: 190 } } },
    { code: 'unknown_connection', message: 'There is no other connection' },
  ),
  refused('too many at once may be tried again', 613, 'Calls to this api have exceeded the rate limit.', {
    code: 'error_613',
    message: 'exceeded the rate limit',
    retryable: true,
  }),
  refused('a person who has not written for a day cannot be messaged', 10, '(#10) sent outside of allowed window', {
    code: 'error_10',
    message: 'outside of allowed window',
  }),
];
