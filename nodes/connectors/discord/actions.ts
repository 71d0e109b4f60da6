import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../lib/json';
import type { HttpAction, Pages } from '../contract';
import { asks, does, nothing, NOTHING, pick, settles } from '../define';
import { at } from '../http/path';
import { listAs } from '../http/read';
import { integer, list, outputOf, text } from '../schemas';
import { isObject } from '../../../lib/json';
import { MENTIONS, MESSAGE, CONTENT } from './message';

const CHANNEL = { channel: text('Channel', 'Its id.', '290926798999357250', { minLength: 1 }) };
const MESSAGE_ID = { message: text('Message', 'Its id.', '334385199974967042', { minLength: 1 }) };
const REPLY = { reply_to: text('In reply to', 'The id of a message of the channel.', '334385199974967041') };

const messagesOf = ({ channel }: JsonObject): string => at`/channels/${channel}/messages`;
const messageOf = ({ channel, message }: JsonObject): string => at`/channels/${channel}/messages/${message}`;

/** A text from outside mentions no one unless the author allows it. */
export const saying = (input: JsonObject): JsonObject => ({
  ...pick(input, 'content', 'embeds'),
  allowed_mentions: { parse: input.mentions ?? [] },
});

/** Newest first: the next page is what comes before the last of this one. */
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
  asks('get_me', 'Get my account', 'The bot that the connection acts for.', {
    output: outputOf({
      id: text('Id', 'Of the bot.', '80351110224678912'),
      username: text('Name', 'Of the bot.', 'orders'),
    }),
    call: 'GET /users/@me',
  }),
  asks('list_channels', 'List channels', 'Channels of a server.', {
    needs: { server: text('Server', 'Its id.', '197038439483310086', { minLength: 1 }) },
    output: outputOf({
      channels: list(
        outputOf({
          id: text('Id', 'Of the channel.', '41771983423143937'),
          name: text('Name', 'Its name.', 'general'),
        }),
        'Channels',
        'With ids and names.',
      ),
      count: integer('Count', 'How many there are.', 1),
    }),
    call: 'GET /guilds/{server}/channels',
    read: listAs('channels'),
  }),
  asks('list_messages', 'List messages', 'Messages of a channel, newest first.', {
    needs: CHANNEL,
    item: MESSAGE,
    request: (input) => ({ method: 'GET', url: messagesOf(input), query: { limit: 100 } }),
    pages: before,
  }),
  does('send_message', 'Send a message', 'Says something in a channel, or in reply to a message there.', {
    needs: CHANNEL,
    may: { ...CONTENT, ...MENTIONS, ...REPLY },
    output: MESSAGE,
    request: (input, _account, { idempotencyKey }) => ({
      method: 'POST',
      url: messagesOf(input),
      body: {
        ...saying(input),
        nonce: nonceOf(idempotencyKey),
        enforce_nonce: true,
        ...(input.reply_to === undefined ? {} : { message_reference: { message_id: input.reply_to } }),
      },
    }),
  }),
  settles('edit_message', 'Change a message', 'Replaces what a message of the bot says.', {
    needs: { ...CHANNEL, ...MESSAGE_ID },
    may: { ...CONTENT, ...MENTIONS },
    output: MESSAGE,
    request: (input) => ({ method: 'PATCH', url: messageOf(input), body: saying(input) }),
  }),
  settles('delete_message', 'Delete a message', 'Takes a message away.', {
    needs: { ...CHANNEL, ...MESSAGE_ID },
    output: NOTHING,
    request: (input) => ({ method: 'DELETE', url: messageOf(input) }),
    read: nothing,
  }),
  settles('add_reaction', 'React', 'Puts an emoji below a message.', {
    needs: {
      ...CHANNEL,
      ...MESSAGE_ID,
      emoji: text('Emoji', 'Itself, or `name:id` of one of the server.', '👍', { minLength: 1 }),
    },
    output: NOTHING,
    request: (input) => ({ method: 'PUT', url: `${messageOf(input)}/reactions/${at`${input.emoji}`}/@me` }),
    read: nothing,
  }),
];
