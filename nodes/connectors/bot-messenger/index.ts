import { secretField } from '../credentials';
import type { JsonObject } from '../../../lib/json';
import { field } from '../auth';
import type { ConnectorResponse, ConnectorFault, ConnectorRequest, HttpAction } from '../contract';
import { isRetryableStatus } from '../http/fault';
import { choice, filledText, flag, integer, outputOf, text } from '../../schema';
import { InvalidInputError } from '../invalid-input-error';
import { numberAt, objectAt, withoutUndefined, textAt } from '../values';
import { ADDRESS, CAPTION, CHAT_ID, DONE, MARKUP, MESSAGE, MESSAGE_ID, PARSE_MODE, QUIETLY, TEXT } from './fields';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const call = (method: string, body: JsonObject): ConnectorRequest => ({ method: 'POST', url: `/${method}`, body });

const result = ({ body }: ConnectorResponse): JsonObject => objectAt(body, 'result');

const done = (): JsonObject => ({ done: true });

/** A message with the way it is shown. */
const shown = (input: JsonObject, ...content: readonly string[]): JsonObject =>
  withoutUndefined({
    ...pick(input, 'chat_id', ...content, 'parse_mode', ...Object.keys(QUIETLY), ...Object.keys(MARKUP)),
    reply_parameters: 'reply_to' in input ? { message_id: input.reply_to ?? 0 } : undefined,
    link_preview_options: input.preview === false ? { is_disabled: true } : undefined,
  });

const REPLY_TO = { reply_to: { ...MESSAGE_ID, description: 'ID of the message to reply to.' } };

const LOOKS = { parse_mode: PARSE_MODE, ...QUIETLY, ...MARKUP, ...REPLY_TO };

const PREVIEW = { preview: flag('Shows link previews.', { default: true }) };

/** Kinds of files that can be sent by URL. */
const sending = (what: 'photo' | 'document', method: string, description: string): HttpAction =>
  writeAction(`send_${what}`, description, {
    required: { chat_id: CHAT_ID, [what]: ADDRESS },
    optional: { caption: CAPTION, ...LOOKS },
    output: MESSAGE,
    request: (input) => call(method, shown(input, what, 'caption')),
    read: result,
  });

const actions: readonly HttpAction[] = [
  writeAction('send_message', 'Sends a message to a chat.', {
    required: { chat_id: CHAT_ID, text: TEXT },
    optional: { ...LOOKS, ...PREVIEW },
    output: MESSAGE,
    request: (input) => call('sendMessage', shown(input, 'text')),
    read: result,
  }),
  sending('photo', 'sendPhoto', 'Sends an image from a URL, up to 5 MB.'),
  sending('document', 'sendDocument', 'Sends a PDF, ZIP or GIF from a URL, up to 20 MB.'),
  idempotentWrite('edit_message', 'Replaces the text of a message of the bot.', {
    required: { chat_id: CHAT_ID, message_id: MESSAGE_ID, text: TEXT },
    optional: { parse_mode: PARSE_MODE, ...MARKUP, ...PREVIEW },
    output: MESSAGE,
    request: (input) => call('editMessageText', shown(input, 'message_id', 'text')),
    read: result,
  }),
  idempotentWrite('delete_message', 'Deletes a message up to two days old.', {
    required: { chat_id: CHAT_ID, message_id: MESSAGE_ID },
    output: DONE,
    request: (input) => call('deleteMessage', pick(input, 'chat_id', 'message_id')),
    read: done,
  }),
  idempotentWrite('send_chat_action', 'Shows a status such as typing or uploading for five seconds.', {
    required: {
      chat_id: CHAT_ID,
      action: choice(
        ['typing', 'upload_photo', 'upload_video', 'record_voice', 'upload_document', 'find_location'],
        'Status to show.',
      ),
    },
    output: DONE,
    request: (input) => call('sendChatAction', pick(input, 'chat_id', 'action')),
    read: done,
  }),
  idempotentWrite('answer_callback_query', 'Answers the press of an inline button.', {
    required: { callback_query_id: filledText('ID of the callback query.', '4382bfdwdsb323b2d9', { maxLength: 200 }) },
    optional: {
      text: text('Notification text.', 'Thank you!', { maxLength: 200 }),
      show_alert: flag('Shows an alert that the user must close.', { default: false }),
    },
    output: DONE,
    request: (input) => call('answerCallbackQuery', pick(input, 'callback_query_id', 'text', 'show_alert')),
    read: done,
  }),
  readAction('get_chat', 'Returns a chat.', {
    required: { chat_id: CHAT_ID },
    output: outputOf(
      {
        id: integer('ID of the chat.'),
        type: choice(['private', 'group', 'supergroup', 'channel'], 'Type.'),
        title: text('Name of the field.'),
      },
      ['id', 'type'],
    ),
    request: (input) => call('getChat', pick(input, 'chat_id')),
    read: result,
  }),
  readAction('get_me', 'Returns the bot that the token belongs to.', {
    output: outputOf(
      {
        id: integer('ID of the bot.'),
        username: text('Name of the field.'),
        first_name: text('Display name or path.'),
      },
      ['id'],
    ),
    call: 'GET /getMe',
    read: result,
  }),
];

const TOKEN = /^[\w:-]{1,200}$/;

/** The error message and delay, which this API returns in the body. */
function fault({ status, body }: ConnectorResponse): ConnectorFault | null {
  if (objectAt(body).ok !== false) return null;
  const code = numberAt(body, 'error_code') ?? status;
  const seconds = numberAt(body, 'parameters', 'retry_after');
  const moved = numberAt(body, 'parameters', 'migrate_to_chat_id');
  const words = textAt(body, 'description') ?? `error ${code}`;
  return {
    code: code === 429 ? 'rate_limited' : `error_${code}`,
    message: moved === undefined ? words : `${words}; the chat is now ${moved}`,
    retryable: isRetryableStatus(code),
    ...(seconds === undefined ? {} : { retryAfterMs: Math.min(Math.max(seconds, 0), 86_400) * 1_000 }),
  };
}

/** The Bot API of Telegram. The token is a part of the path. */
export const botMessenger = defineConnector({
  name: 'bot-messenger',
  aliases: ['telegram'],
  title: 'Telegram',
  description: 'Send and manage messages of a Telegram bot.',
  category: 'Communication',
  docs: 'https://core.telegram.org/bots/api',

  fields: [
    secretField(
      'bot_token',
      'Bot token',
      'Token that the provider issued when the bot was created.',
      '123456:ABC-DEF...',
    ),
  ],
  base: 'https://api.telegram.org',
  sign(request, account) {
    const token = field(account, 'bot_token').trim();
    if (!TOKEN.test(token))
      throw new InvalidInputError('the "bot_token" of the connection must look like 123456:ABC-DEF');
    return { ...request, url: `/bot${token}${request.url}` };
  },
  fault,
  connectionTest: 'get_me',
  actions,
});
