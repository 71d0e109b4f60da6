import { casesOf } from './case-builders';

const { gives, pages, fails } = casesOf(
  { bot_token: 'MTIz.abc.def' },
  { authorization: 'Bot MTIz.abc.def', 'user-agent': 'DiscordBot (https://everstep.example, 1)' },
);

const MESSAGE = { id: '3343', channel_id: '2909', content: 'Shipped' };
const hundred = Array.from({ length: 100 }, (_, index) => ({ ...MESSAGE, id: String(500 - index) }));

export const cases = [
  gives(['get_me', 'returns the bot'], {}, 'GET /users/@me', { id: '80', username: 'orders' }),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    'GET /users/@me',
    { status: 401, json: { message: '401: Unauthorized', code: 0 } },
    { code: 'unauthorized', message: 'Discord answered 401: 401: Unauthorized' },
  ),
  gives(
    ['list_channels', 'channels'],
    { server: '1970' },
    'GET /guilds/1970/channels',
    [{ id: '41', name: 'general' }],
    { channels: [{ id: '41', name: 'general' }], count: 1 },
  ),
  pages(
    ['list_messages', 'the next page is what comes before the last of this one'],
    { channel: '2909', limit: 150 },
    [
      ['GET /channels/2909/messages?limit=100', { json: hundred }],
      ['GET /channels/2909/messages?limit=100&before=401', { json: [MESSAGE] }],
    ],
    [...hundred, MESSAGE],
  ),
  gives(
    ['send_message', 'a message mentions no one by default, and has a nonce that a retry repeats'],
    { channel: '2909', content: '@everyone look', reply_to: '3342' },
    [
      'POST /channels/2909/messages',
      {
        body: {
          content: '@everyone look',
          allowed_mentions: { parse: [] },
          nonce: '2abff83563a8639131b1d94c8',
          enforce_nonce: true,
          message_reference: { message_id: '3342' },
        },
      },
    ],
    MESSAGE,
  ),
  gives(
    ['edit_message', 'a message changes'],
    { channel: '2909', message: '3343', content: 'Delivered', mentions: ['users'] },
    ['PATCH /channels/2909/messages/3343', { body: { content: 'Delivered', allowed_mentions: { parse: ['users'] } } }],
    MESSAGE,
  ),
  fails(
    ['edit_message', 'faults of fields are reported'],
    { channel: '2909', message: '3343', content: 'x' },
    ['PATCH /channels/2909/messages/3343', { body: { content: 'x', allowed_mentions: { parse: [] } } }],
    {
      status: 400,
      json: {
        code: 50035,
        message: 'Invalid Form Body',
        errors: {
          content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }] },
        },
      },
    },
    { code: 'provider_50035', message: 'Discord answered 400: content: Must be 2000 or fewer in length.' },
  ),
  gives(
    ['delete_message', 'a message goes'],
    { channel: '2909', message: '3343' },
    'DELETE /channels/2909/messages/3343',
    null,
    {},
  ),
  gives(
    ['add_reaction', 'an emoji is put below it'],
    { channel: '2909', message: '3343', emoji: '👍' },
    'PUT /channels/2909/messages/3343/reactions/%F0%9F%91%8D/@me',
    null,
    {},
  ),
  fails(
    ['get_me', 'a limit is waited for, up to the next full second'],
    {},
    'GET /users/@me',
    { status: 429, json: { message: 'You are being rate limited.', retry_after: 64.57, global: false } },
    { code: 'rate_limited', message: 'You are being rate limited.', retryable: true, retryAfterMs: 65_000 },
  ),
];
