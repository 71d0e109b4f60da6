import type { JsonObject } from '../../../lib/json';
import type { ConnectorRequest, HttpAction } from '../contract';
import { does, pick, settles } from '../define';
import { flag, outputOf, text } from '../schemas';
import { CHANNEL, LOOKS, MESSAGE, MESSAGE_TS, POSTED } from './fields';
import { withoutOk } from './read';

const CONTENT = ['channel', 'text', 'blocks', 'attachments', ...Object.keys(LOOKS)];

const post = (method: string, body: JsonObject): ConnectorRequest => ({ method: 'POST', url: `/${method}`, body });

const THREAD = {
  ...MESSAGE_TS,
  title: 'Thread',
  description: 'The timestamp of the message that the thread is about.',
};

const { text: TEXT, ...LAYOUT } = MESSAGE;

export const messages: readonly HttpAction[] = [
  does('post_message', 'Post a message', 'Says something in a channel, a group or a direct message.', {
    needs: { channel: CHANNEL, text: TEXT },
    may: { ...LAYOUT, ...LOOKS },
    output: POSTED,
    request: (input) => post('chat.postMessage', pick(input, ...CONTENT)),
    read: withoutOk,
  }),
  does('reply_in_thread', 'Reply in a thread', 'Says something in the thread of a message.', {
    needs: { channel: CHANNEL, thread_ts: THREAD, text: TEXT },
    may: {
      ...LAYOUT,
      ...LOOKS,
      reply_broadcast: flag('Tell the channel too', 'Shows the reply outside of its thread as well.', {
        default: false,
      }),
    },
    output: POSTED,
    request: (input) => post('chat.postMessage', pick(input, ...CONTENT, 'thread_ts', 'reply_broadcast')),
    read: withoutOk,
  }),
  settles('update_message', 'Change a message', 'Replaces what a message of this app says.', {
    needs: { channel: CHANNEL, ts: MESSAGE_TS, text: TEXT },
    may: LAYOUT,
    output: POSTED,
    request: (input) => post('chat.update', pick(input, 'channel', 'ts', 'text', 'blocks', 'attachments')),
    read: withoutOk,
  }),
  settles('delete_message', 'Delete a message', 'Takes a message of this app away.', {
    needs: { channel: CHANNEL, ts: MESSAGE_TS },
    output: POSTED,
    request: (input) => post('chat.delete', pick(input, 'channel', 'ts')),
    read: withoutOk,
  }),
  settles('add_reaction', 'React to a message', 'Puts an emoji below a message; one that is there already stays.', {
    needs: {
      channel: CHANNEL,
      timestamp: MESSAGE_TS,
      name: text('Emoji', 'Its name without colons.', 'thumbsup', { pattern: "^[\\w+':-]{1,100}$" }),
    },
    output: outputOf({ already: flag('Already', 'Whether it was there before.') }, ['already']),
    request: (input) => post('reactions.add', pick(input, 'channel', 'timestamp', 'name')),
    read: (answer) => ({ already: withoutOk(answer).error === 'already_reacted' }),
  }),
];
