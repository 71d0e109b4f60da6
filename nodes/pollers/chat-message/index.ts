import { isObject, type JsonObject } from '../../../lib/json';
import { chat } from '../../connectors/chat';
import type { Poller, PollItem } from '../contract';
import { tooMany } from '../fault';
import { listAt, objectAt } from '../../connectors/values';
import { textIn } from '../json';
import { type RequestProvider, providerClient } from '../provider-client';

const PAGE = 200;
/** Pages of one poll. They go back in time, so the messages that start first are on the last page. */
const MAX_PAGES = 50;
/** Subtypes of messages that people write. */
const WRITTEN = new Set(['file_share', 'thread_broadcast', 'me_message']);

/** Messages of people in a channel. Messages of bots are excluded, as a workflow that answers would start itself. */
export const chatMessage: Poller = {
  type: 'chat_message',
  async poll(context) {
    const { config, cursor, limit } = context;
    const request = await providerClient(context, chat);
    const channel = String(config.channel);
    const last = textIn(cursor, 'ts');
    if (last === null) {
      const [newest] = await messages(request, { channel, limit: 1 });
      return { kind: 'items', items: [], cursor: { ts: stamp(newest) || '0' }, more: false };
    }
    const all = await since(request, channel, last);
    const taken = all.slice(0, limit);
    const ts = taken.length === 0 ? last : stamp(taken.at(-1));
    const items = taken.filter(isWritten).map((message) => itemOf(channel, message));
    return { kind: 'items', items, cursor: { ts }, more: taken.length < all.length };
  },
};

/** The oldest messages after a time, oldest first. */
async function since(request: RequestProvider, channel: string, oldest: string): Promise<JsonObject[]> {
  let oldestPages: JsonObject[] = [];
  let page: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = { channel, oldest, limit: PAGE, ...(page === null ? {} : { cursor: page }) };
    const { body } = await request({ path: '/conversations.history', query });
    oldestPages = [...oldestPages.slice(-PAGE), ...messagesIn(body)];
    page = textIn(objectAt(body, 'response_metadata'), 'next_cursor') || null;
    if (page === null) return oldestPages.sort(byTime);
  }
  throw tooMany(MAX_PAGES * PAGE, 'messages');
}

async function messages(request: RequestProvider, query: { channel: string; limit: number }): Promise<JsonObject[]> {
  return messagesIn((await request({ path: '/conversations.history', query })).body);
}

const messagesIn = (body: JsonObject): JsonObject[] =>
  listAt(body, 'messages').filter((message): message is JsonObject => isObject(message) && stamp(message) !== '');

/** The time, which identifies a message within its channel: seconds, a dot, six digits. */
const stamp = (message: JsonObject | undefined): string => textIn(message, 'ts') ?? '';

const byTime = (one: JsonObject, other: JsonObject): number => Number(stamp(one)) - Number(stamp(other));

function isWritten(message: JsonObject): boolean {
  const { subtype, bot_id: bot } = message;
  return bot === undefined && (subtype === undefined || WRITTEN.has(String(subtype)));
}

const itemOf = (channel: string, message: JsonObject): PollItem => ({
  id: stamp(message),
  trigger: {
    channel,
    ts: stamp(message),
    user: textIn(message, 'user'),
    text: textIn(message, 'text') ?? '',
    thread_ts: textIn(message, 'thread_ts'),
    message,
  },
});
