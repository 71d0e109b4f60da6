import { casesOf } from './case-builders';

const { gives, fails } = casesOf({ bot_token: '123456:ABC-DEF' }, { authorization: null });

/** The token is a part of the path. */
const BOT = '/bot123456:ABC-DEF';
const SENT = { message_id: 7, date: 1_893_456_000, chat: { id: 42, type: 'private' }, text: 'Hello' };
const HELLO = { chat_id: 42, text: 'Hello' };

const call = (
  subject: [string, string],
  input: Parameters<typeof gives>[1],
  method: string,
  body: Parameters<typeof gives>[1],
  result: Parameters<typeof gives>[3] = SENT,
  output: Parameters<typeof gives>[4] = SENT,
) => gives(subject, input, [`POST ${BOT}/${method}`, { body }], { ok: true, result }, output);

const refused = (
  title: string,
  status: number,
  json: Parameters<typeof gives>[1],
  failing: Parameters<typeof fails>[4],
) => fails(['send_message', title], HELLO, [`POST ${BOT}/sendMessage`, { body: HELLO }], { status, json }, failing);

export const cases = [
  call(
    ['send_message', 'a message answers another one'],
    { ...HELLO, parse_mode: 'HTML', reply_to: 5, preview: false, reply_markup: { force_reply: true } },
    'sendMessage',
    {
      ...HELLO,
      parse_mode: 'HTML',
      reply_markup: { force_reply: true },
      reply_parameters: { message_id: 5 },
      link_preview_options: { is_disabled: true },
    },
  ),
  call(
    ['send_photo', 'a photo at an address'],
    { chat_id: '@orders', photo: 'https://example.com/a.png', caption: 'Label' },
    'sendPhoto',
    { chat_id: '@orders', photo: 'https://example.com/a.png', caption: 'Label' },
  ),
  call(
    ['send_document', 'a file at an address'],
    { chat_id: 42, document: 'https://example.com/a.pdf', disable_notification: true },
    'sendDocument',
    { chat_id: 42, document: 'https://example.com/a.pdf', disable_notification: true },
  ),
  call(['edit_message', 'a message is changed'], { ...HELLO, message_id: 7 }, 'editMessageText', {
    ...HELLO,
    message_id: 7,
  }),
  call(
    ['delete_message', 'a message is deleted'],
    { chat_id: 42, message_id: 7 },
    'deleteMessage',
    { chat_id: 42, message_id: 7 },
    true,
    { done: true },
  ),
  call(
    ['send_chat_action', 'the bot types'],
    { chat_id: 42, action: 'typing' },
    'sendChatAction',
    { chat_id: 42, action: 'typing' },
    true,
    { done: true },
  ),
  call(
    ['answer_callback_query', 'a button is answered'],
    { callback_query_id: '4382', text: 'Thank you!' },
    'answerCallbackQuery',
    { callback_query_id: '4382', text: 'Thank you!' },
    true,
    { done: true },
  ),
  call(
    ['get_chat', 'a chat is looked at'],
    { chat_id: 42 },
    'getChat',
    { chat_id: 42 },
    { id: 42, type: 'private' },
    { id: 42, type: 'private' },
  ),
  gives(
    ['get_me', 'the bot is looked at'],
    {},
    `GET ${BOT}/getMe`,
    { ok: true, result: { id: 123_456, username: 'b' } },
    { id: 123_456, username: 'b' },
  ),
  fails(
    ['get_me', 'a wrong token is rejected'],
    {},
    `GET ${BOT}/getMe`,
    { status: 401, json: { ok: false, error_code: 401, description: 'Unauthorized' } },
    { code: 'error_401', message: 'Telegram answered 401: Unauthorized' },
  ),
  refused(
    'too many at once may be tried again, after the time that the body says',
    429,
    { ok: false, error_code: 429, description: 'Too Many Requests: retry after 7', parameters: { retry_after: 7 } },
    { code: 'rate_limited', message: 'Too Many Requests', retryable: true, retryAfterMs: 7_000 },
  ),
  refused(
    'a chat that has moved says where to',
    400,
    {
      ok: false,
      error_code: 400,
      description: 'Bad Request: group chat was upgraded',
      parameters: { migrate_to_chat_id: -1_001_234 },
    },
    { code: 'error_400', message: 'group chat was upgraded; the chat is now -1001234' },
  ),
  {
    ...refused(
      'a token that is none leaves the path alone',
      200,
      {},
      { code: 'invalid_config', message: 'must look like 123456:ABC-DEF' },
    ),
    credentials: { bot_token: '../../evil?x=' },
    expects: [],
    answers: [],
  },
];
