import type { JsonObject } from '../../../lib/json';
import type { ConnectorRequest, HttpAction } from '../contract';
import { flag, outputOf, text } from '../../schema';
import { CHANNEL, LOOKS, MESSAGE, MESSAGE_TS, POSTED } from './fields';
import { withoutOk } from './read';
import { pick } from '../input';
import { idempotentWrite, writeAction } from '../define';

const CONTENT = ['channel', 'text', 'blocks', 'attachments', ...Object.keys(LOOKS)];

const post = (method: string, body: JsonObject): ConnectorRequest => ({ method: 'POST', url: `/${method}`, body });

const THREAD = { ...MESSAGE_TS, title: 'Thread', description: 'Timestamp of the first message of the thread.' };

const { text: TEXT, ...LAYOUT } = MESSAGE;

export const messages: readonly HttpAction[] = [
  writeAction('post_message', 'Posts a message to a channel, group or direct message.', {
    required: { channel: CHANNEL, text: TEXT },
    optional: { ...LAYOUT, ...LOOKS },
    output: POSTED,
    request: (input) => post('chat.postMessage', pick(input, ...CONTENT)),
    read: withoutOk,
  }),
  writeAction('reply_in_thread', 'Posts a reply in the thread of a message.', {
    required: { channel: CHANNEL, thread_ts: THREAD, text: TEXT },
    optional: {
      ...LAYOUT,
      ...LOOKS,
      reply_broadcast: flag('Also shows the reply in the channel.', { default: false }),
    },
    output: POSTED,
    request: (input) => post('chat.postMessage', pick(input, ...CONTENT, 'thread_ts', 'reply_broadcast')),
    read: withoutOk,
  }),
  idempotentWrite('update_message', 'Replaces the text of a message of this app.', {
    required: { channel: CHANNEL, ts: MESSAGE_TS, text: TEXT },
    optional: LAYOUT,
    output: POSTED,
    request: (input) => post('chat.update', pick(input, 'channel', 'ts', 'text', 'blocks', 'attachments')),
    read: withoutOk,
  }),
  idempotentWrite('delete_message', 'Deletes a message of this app.', {
    required: { channel: CHANNEL, ts: MESSAGE_TS },
    output: POSTED,
    request: (input) => post('chat.delete', pick(input, 'channel', 'ts')),
    read: withoutOk,
  }),
  idempotentWrite('add_reaction', 'Adds an emoji reaction to a message; an existing one is kept.', {
    required: {
      channel: CHANNEL,
      timestamp: MESSAGE_TS,
      name: text('Name of the emoji without colons.', 'thumbsup', { pattern: "^[\\w+':-]{1,100}$" }),
    },
    output: outputOf({ already: flag('Whether the reaction existed before.') }, ['already']),
    request: (input) => post('reactions.add', pick(input, 'channel', 'timestamp', 'name')),
    read: (response) => ({ already: withoutOk(response).error === 'already_reacted' }),
  }),
];
