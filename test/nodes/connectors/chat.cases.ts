import { casesOf } from './case-builders';

const { gives, pages, fails, talks, page } = casesOf(
  { access_token: 'xoxb-0123456789' },
  { authorization: 'Bearer xoxb-0123456789' },
);

const TS = '1503435956.000247';
const AT = { channel: 'C123ABC456', ts: TS };
const USER = { id: 'W012A3CDE', name: 'ada', deleted: false, profile: { email: 'ada@example.com' } };
const POSTED = { type: 'message', user: 'W012A3CDE', text: 'Hello', ts: TS };

export const cases = [
  gives(
    ['post_message', 'a message is posted'],
    { channel: 'C123ABC456', text: 'Order 4711 has *shipped*.', unfurl_links: false },
    [
      'POST /chat.postMessage',
      { body: { channel: 'C123ABC456', text: 'Order 4711 has *shipped*.', unfurl_links: false } },
    ],
    { ok: true, ...AT, message: POSTED },
    { ...AT, message: POSTED },
  ),
  gives(
    ['reply_in_thread', 'a reply goes into the thread of its message'],
    { channel: 'C123ABC456', thread_ts: TS, text: 'Thanks!', reply_broadcast: true },
    [
      'POST /chat.postMessage',
      { body: { channel: 'C123ABC456', text: 'Thanks!', thread_ts: TS, reply_broadcast: true } },
    ],
    { ok: true, ...AT, message: POSTED },
    { ...AT, message: POSTED },
  ),
  gives(
    ['update_message', 'a message is changed'],
    { ...AT, text: 'Delivered' },
    ['POST /chat.update', { body: { ...AT, text: 'Delivered' } }],
    { ok: true, ...AT, text: 'Delivered' },
    { ...AT, text: 'Delivered' },
  ),
  gives(['delete_message', 'a message is deleted'], AT, ['POST /chat.delete', { body: AT }], { ok: true, ...AT }, AT),
  gives(
    ['add_reaction', 'a reaction is added'],
    { channel: 'C123ABC456', timestamp: TS, name: 'thumbsup' },
    ['POST /reactions.add', { body: { channel: 'C123ABC456', timestamp: TS, name: 'thumbsup' } }],
    { ok: true },
    { already: false },
  ),
  gives(
    ['add_reaction', 'one that is there already is no fault'],
    { channel: 'C123ABC456', timestamp: TS, name: 'thumbsup' },
    ['POST /reactions.add', { body: { channel: 'C123ABC456', timestamp: TS, name: 'thumbsup' } }],
    { ok: false, error: 'already_reacted' },
    { already: true },
  ),
  pages(
    ['list_channels', 'pages follow the cursor'],
    { types: ['public_channel', 'private_channel'] },
    [
      [
        'GET /conversations.list?limit=200&types=public_channel,private_channel&exclude_archived=true',
        {
          json: { ok: true, channels: [{ id: 'C1', name: 'general' }], response_metadata: { next_cursor: 'dGVhbQ==' } },
        },
      ],
      [
        'GET /conversations.list?limit=200&types=public_channel,private_channel&exclude_archived=true&cursor=dGVhbQ==',
        { json: { ok: true, channels: [{ id: 'C2', name: 'random' }], response_metadata: { next_cursor: '' } } },
      ],
    ],
    [
      { id: 'C1', name: 'general' },
      { id: 'C2', name: 'random' },
    ],
  ),
  page(
    ['get_history', 'messages of a channel, as many as are wanted'],
    { channel: 'C123ABC456', oldest: '1503435000.000000', inclusive: true, limit: 1 },
    'GET /conversations.history?limit=200&channel=C123ABC456&oldest=1503435000.000000&inclusive=true',
    { ok: true, messages: [POSTED, POSTED], has_more: false },
    [POSTED],
    true,
  ),
  page(
    ['get_replies', 'messages of a thread'],
    AT,
    ['GET /conversations.replies', { query: { limit: '200', ...AT } }],
    { ok: true, messages: [POSTED] },
    [POSTED],
  ),
  page(['list_users', 'everybody'], {}, 'GET /users.list?limit=200', { ok: true, members: [USER] }, [USER]),
  gives(
    ['find_user_by_email', 'a user is found by address'],
    { email: 'ada+1@example.com' },
    'GET /users.lookupByEmail?email=ada%2B1@example.com',
    { ok: true, user: USER },
    USER,
  ),
  fails(
    ['find_user_by_email', 'no user has that address'],
    { email: 'eve@example.com' },
    'GET /users.lookupByEmail?email=eve@example.com',
    { json: { ok: false, error: 'users_not_found' } },
    { code: 'users_not_found', message: 'users_not_found' },
  ),
  gives(
    ['open_direct_message', 'a talk is opened'],
    { users: ['W1', 'W2'] },
    ['POST /conversations.open', { body: { users: 'W1,W2' } }],
    { ok: true, channel: { id: 'D069C7QFK' } },
    { id: 'D069C7QFK' },
  ),
  gives(
    ['whoami', 'the connection is looked at'],
    {},
    ['POST /auth.test', { body: {} }],
    { ok: true, url: 'https://acme.slack.com/', team: 'Acme', team_id: 'T1', user: 'bot', user_id: 'U1' },
    { url: 'https://acme.slack.com/', team: 'Acme', team_id: 'T1', user: 'bot', user_id: 'U1' },
  ),
  fails(
    ['whoami', 'a wrong token is rejected'],
    {},
    ['POST /auth.test', { body: {} }],
    { json: { ok: false, error: 'invalid_auth' } },
    { code: 'unknown_connection', message: 'There is no other connection' },
  ),
  fails(
    ['post_message', 'a missing scope is named'],
    { channel: 'C123ABC456', text: 'Hello' },
    ['POST /chat.postMessage', { body: { channel: 'C123ABC456', text: 'Hello' } }],
    { json: { ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'users:read' } },
    { code: 'missing_scope', message: 'the connection lacks the scope chat:write' },
  ),
  fails(
    ['post_message', 'a rate limit is retryable, after the given time'],
    { channel: 'C123ABC456', text: 'Hello' },
    ['POST /chat.postMessage', { body: { channel: 'C123ABC456', text: 'Hello' } }],
    { status: 429, headers: { 'retry-after': '30' }, json: { ok: false, error: 'ratelimited' } },
    { code: 'ratelimited', message: 'ratelimited', retryable: true, retryAfterMs: 30_000 },
  ),
  talks(
    ['upload_file', 'a file goes in three steps, and the second carries no credentials'],
    { filename: 'orders.csv', content: 'item,price', channel: 'C123ABC456', initial_comment: 'Here.' },
    [
      [
        ['POST /files.getUploadURLExternal', { form: { filename: 'orders.csv', length: '10' } }],
        { json: { ok: true, upload_url: '{{server}}/upload/v1/ABC123', file_id: 'F123ABC456' } },
      ],
      [
        [
          'POST /upload/v1/ABC123',
          { body: 'item,price', headers: { authorization: null, 'content-type': 'application/octet-stream' } },
        ],
        { text: 'OK - 10' },
      ],
      [
        [
          'POST /files.completeUploadExternal',
          {
            body: {
              files: [{ id: 'F123ABC456', title: 'orders.csv' }],
              channel_id: 'C123ABC456',
              initial_comment: 'Here.',
            },
          },
        ],
        { json: { ok: true, files: [{ id: 'F123ABC456', title: 'orders.csv' }] } },
      ],
    ],
    { output: { id: 'F123ABC456', title: 'orders.csv' } },
  ),
  talks(
    ['upload_file', 'a file that the provider does not take is shown nowhere'],
    { filename: 'a.bin', content_base64: 'aGVsbG8=' },
    [
      [
        ['POST /files.getUploadURLExternal', { form: { filename: 'a.bin', length: '5' } }],
        { json: { ok: true, upload_url: '{{server}}/upload/v1/ABC123', file_id: 'F1' } },
      ],
      [
        ['POST /upload/v1/ABC123', { body: 'hello', headers: { authorization: null } }],
        { status: 413, text: 'too large' },
      ],
    ],
    { failing: { code: 'refused', message: 'too large' } },
  ),
  talks(['upload_file', 'nothing to upload is a mistake of the author'], { filename: 'a.bin' }, [], {
    failing: { code: 'invalid_config', message: 'one of "content", "content_base64" and "file"' },
  }),
];
