import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../lib/json';
import type { HttpAction, Pages } from '../contract';
import { urlPath } from '../http/path';
import { outputList } from '../http/read';
import { filledText, integer, list, outputOf, text } from '../../schema';
import { isObject } from '../../../lib/json';
import { MENTIONS, MESSAGE, CONTENT } from './message';
import { pick } from '../input';
import { NO_OUTPUT, idempotentWrite, readAction, writeAction } from '../define';

const CHANNEL = { channel: filledText('ID of the channel.', '290926798999357250') };
const MESSAGE_ID = { message: filledText('ID of the message.', '334385199974967042') };
const REPLY = { reply_to: text('ID of the message to reply to.', '334385199974967041') };

const messagesOf = ({ channel }: JsonObject): string => urlPath`/channels/${channel}/messages`;
const messageOf = ({ channel, message }: JsonObject): string => urlPath`/channels/${channel}/messages/${message}`;

/** A text from outside mentions no one unless the author allows it. */
export const contentOf = (input: JsonObject): JsonObject => ({
  ...pick(input, 'content', 'embeds'),
  allowed_mentions: { parse: input.mentions ?? [] },
});

/** Newest first: the next page is before the last item of this one. */
const before: Pages = {
  items: ({ body }) => (Array.isArray(body) ? body : []),
  next({ body }, request) {
    const last = Array.isArray(body) && body.length >= 100 ? body.at(-1) : null;
    return isObject(last) && typeof last.id === 'string'
      ? { ...request, query: { ...request.query, before: last.id } }
      : null;
  },
};

/** At most 25 characters by which Discord knows a message again for some minutes. */
const nonceOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 25);

export const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the bot of the connection.', {
    output: outputOf({
      id: text('ID of the bot.', '80351110224678912'),
      username: text('Username of the bot.', 'orders'),
    }),
    call: 'GET /users/@me',
  }),
  readAction('list_channels', 'Lists channels of a server.', {
    required: { server: filledText('ID of the server.', '197038439483310086') },
    output: outputOf({
      channels: list(
        outputOf({ id: text('ID of the channel.', '41771983423143937'), name: text('Name of the field.', 'general') }),
        'IDs and names.',
      ),
      count: integer('Number of items.', 1),
    }),
    call: 'GET /guilds/{server}/channels',
    read: outputList('channels'),
  }),
  readAction('list_messages', 'Lists messages of a channel, newest first.', {
    required: CHANNEL,
    item: MESSAGE,
    request: (input) => ({ method: 'GET', url: messagesOf(input), query: { limit: 100 } }),
    pages: before,
  }),
  writeAction('send_message', 'Sends a message to a channel, optionally as a reply.', {
    required: CHANNEL,
    optional: { ...CONTENT, ...MENTIONS, ...REPLY },
    output: MESSAGE,
    request: (input, _account, { idempotencyKey }) => ({
      method: 'POST',
      url: messagesOf(input),
      body: {
        ...contentOf(input),
        nonce: nonceOf(idempotencyKey),
        enforce_nonce: true,
        ...(input.reply_to === undefined ? {} : { message_reference: { message_id: input.reply_to } }),
      },
    }),
  }),
  idempotentWrite('edit_message', 'Replaces the text of a message of the bot.', {
    required: { ...CHANNEL, ...MESSAGE_ID },
    optional: { ...CONTENT, ...MENTIONS },
    output: MESSAGE,
    request: (input) => ({ method: 'PATCH', url: messageOf(input), body: contentOf(input) }),
  }),
  idempotentWrite('delete_message', 'Deletes a message.', {
    required: { ...CHANNEL, ...MESSAGE_ID },
    ...NO_OUTPUT,
    request: (input) => ({ method: 'DELETE', url: messageOf(input) }),
  }),
  idempotentWrite('add_reaction', 'Adds an emoji reaction to a message.', {
    required: { ...CHANNEL, ...MESSAGE_ID, emoji: filledText('Unicode emoji, or `name:id` of a custom one.', '👍') },
    ...NO_OUTPUT,
    request: (input) => ({ method: 'PUT', url: `${messageOf(input)}/reactions/${urlPath`${input.emoji}`}/@me` }),
  }),
];
