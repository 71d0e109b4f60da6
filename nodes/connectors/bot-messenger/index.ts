import type { JsonObject } from '../../../lib/json';
import { field } from '../auth';
import type { Connector, ConnectorAnswer, ConnectorFault, ConnectorRequest, HttpAction } from '../contract';
import { asks, does, pick, settles } from '../define';
import { isPassing } from '../http/fault';
import { choice, flag, integer, outputOf, text } from '../schemas';
import { Unusable } from '../unusable';
import { numberAt, objectAt, present, textAt } from '../values';
import { ADDRESS, CAPTION, CHAT_ID, DONE, MARKUP, MESSAGE, MESSAGE_ID, PARSE_MODE, QUIETLY, TEXT } from './fields';

const call = (method: string, body: JsonObject): ConnectorRequest => ({ method: 'POST', url: `/${method}`, body });

const result = ({ body }: ConnectorAnswer): JsonObject => objectAt(body, 'result');

const done = (): JsonObject => ({ done: true });

/** A message with the way it is shown. */
const shown = (input: JsonObject, ...content: readonly string[]): JsonObject =>
  present({
    ...pick(input, 'chat_id', ...content, 'parse_mode', ...Object.keys(QUIETLY), ...Object.keys(MARKUP)),
    reply_parameters: 'reply_to' in input ? { message_id: input.reply_to ?? 0 } : undefined,
    link_preview_options: input.preview === false ? { is_disabled: true } : undefined,
  });

const REPLY_TO = { reply_to: { ...MESSAGE_ID, title: 'Reply to', description: 'The message that it answers.' } };

const LOOKS = { parse_mode: PARSE_MODE, ...QUIETLY, ...MARKUP, ...REPLY_TO };

const PREVIEW = { preview: flag('Preview', 'Shows what links lead to.', { default: true }) };

/** What can be sent from an address. */
const sending = (what: 'photo' | 'document', method: string, title: string, description: string): HttpAction =>
  does(`send_${what}`, title, description, {
    needs: { chat_id: CHAT_ID, [what]: ADDRESS(what === 'photo' ? 'Photo' : 'File') },
    may: { caption: CAPTION, ...LOOKS },
    output: MESSAGE,
    request: (input) => call(method, shown(input, what, 'caption')),
    read: result,
  });

const actions: readonly HttpAction[] = [
  does('send_message', 'Send a message', 'Writes into a chat.', {
    needs: { chat_id: CHAT_ID, text: TEXT },
    may: { ...LOOKS, ...PREVIEW },
    output: MESSAGE,
    request: (input) => call('sendMessage', shown(input, 'text')),
    read: result,
  }),
  sending('photo', 'sendPhoto', 'Send a photo', 'An image at an address, up to 5 MB.'),
  sending('document', 'sendDocument', 'Send a file', 'A PDF, ZIP or GIF at an address, up to 20 MB.'),
  settles('edit_message', 'Change a message', 'Replaces what a message of the bot says.', {
    needs: { chat_id: CHAT_ID, message_id: MESSAGE_ID, text: TEXT },
    may: { parse_mode: PARSE_MODE, ...MARKUP, ...PREVIEW },
    output: MESSAGE,
    request: (input) => call('editMessageText', shown(input, 'message_id', 'text')),
    read: result,
  }),
  settles('delete_message', 'Delete a message', 'Takes a message away; within two days.', {
    needs: { chat_id: CHAT_ID, message_id: MESSAGE_ID },
    output: DONE,
    request: (input) => call('deleteMessage', pick(input, 'chat_id', 'message_id')),
    read: done,
  }),
  settles('send_chat_action', 'Show a sign', 'That the bot types, or uploads; for five seconds.', {
    needs: {
      chat_id: CHAT_ID,
      action: choice(
        ['typing', 'upload_photo', 'upload_video', 'record_voice', 'upload_document', 'find_location'],
        'Sign',
        'What is shown.',
      ),
    },
    output: DONE,
    request: (input) => call('sendChatAction', pick(input, 'chat_id', 'action')),
    read: done,
  }),
  settles('answer_callback_query', 'Answer a button', 'Acknowledges the press of a button.', {
    needs: {
      callback_query_id: text('Press', 'Id of the press.', '4382bfdwdsb323b2d9', { minLength: 1, maxLength: 200 }),
    },
    may: {
      text: text('Text', 'What is shown for a moment.', 'Thank you!', { maxLength: 200 }),
      show_alert: flag('As an alert', 'Until it is closed.', { default: false }),
    },
    output: DONE,
    request: (input) => call('answerCallbackQuery', pick(input, 'callback_query_id', 'text', 'show_alert')),
    read: done,
  }),
  asks('get_chat', 'Look at a chat', 'What is known of a chat.', {
    needs: { chat_id: CHAT_ID },
    output: outputOf(
      {
        id: integer('Id', 'Id of the chat.'),
        type: choice(['private', 'group', 'supergroup', 'channel'], 'Kind', 'What it is.'),
        title: text('Title', 'Its name.'),
      },
      ['id', 'type'],
    ),
    request: (input) => call('getChat', pick(input, 'chat_id')),
    read: result,
  }),
  asks('get_me', 'Look at the bot', 'Whose token it is.', {
    output: outputOf(
      {
        id: integer('Id', 'Id of the bot.'),
        username: text('Name', 'Its name.'),
        first_name: text('Title', 'As people see it.'),
      },
      ['id'],
    ),
    call: 'GET /getMe',
    read: result,
  }),
];

const TOKEN = /^[\w:-]{1,200}$/;

/** A sentence, and how long to wait: this API tells both in the body. */
function fault({ status, body }: ConnectorAnswer): ConnectorFault | null {
  if (objectAt(body).ok !== false) return null;
  const code = numberAt(body, 'error_code') ?? status;
  const seconds = numberAt(body, 'parameters', 'retry_after');
  const moved = numberAt(body, 'parameters', 'migrate_to_chat_id');
  const words = textAt(body, 'description') ?? `error ${code}`;
  return {
    code: code === 429 ? 'rate_limited' : `error_${code}`,
    message: moved === undefined ? words : `${words}; the chat is now ${moved}`,
    retryable: isPassing(code),
    ...(seconds === undefined ? {} : { retryAfterMs: Math.min(Math.max(seconds, 0), 86_400) * 1_000 }),
  };
}

/** The Bot API of Telegram. The token is a part of the path. */
export const botMessenger: Connector = {
  name: 'bot-messenger',
  aliases: ['telegram'],
  title: 'Telegram',
  description: 'Messages of a Telegram bot.',
  category: 'Communication',
  docs: 'https://core.telegram.org/bots/api',
  auth: {
    fields: [
      {
        name: 'bot_token',
        title: 'Bot token',
        description: 'As the provider gave it when the bot was made.',
        secret: true,
        required: true,
        example: '123456:ABC-DEF...',
      },
    ],
    required: true,
  },
  base: () => 'https://api.telegram.org',
  sign(request, account) {
    const token = field(account, 'bot_token').trim();
    if (!TOKEN.test(token))
      throw new Unusable('the "bot_token" of the connection is no token of a bot, as 123456:ABC-DEF');
    return { ...request, url: `/bot${token}${request.url}` };
  },
  fault,
  probe: { action: 'get_me', input: {} },
  actions,
};
