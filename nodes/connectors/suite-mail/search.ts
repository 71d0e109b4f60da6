import type { Json } from '../../../lib/json';
import { done } from '../../outcome';
import type { CodeAction } from '../contract';
import { urlPath } from '../http/path';
import { choice, flag, integer, list, outputOf, text } from '../../schema';
import { listAt, numberAt, textAt, textsAt } from '../values';
import { LABEL_IDS, MESSAGE } from './fields';
import { messageOf } from './read';

const DEFAULT_LIMIT = 10;
const MAX_MESSAGES = 100;

/** The list has only ids: each message is one more request. */
export const search: CodeAction = {
  kind: 'code',
  name: 'search',
  title: 'Search emails',
  description: 'Lists matching messages, newest first.',
  effect: 'read',
  repeatable: true,
  input: {
    query: text("Query in Gmail's search syntax.", 'from:ada@example.com is:unread', { maxLength: 2_000 }),
    label_ids: LABEL_IDS('Only messages with all of these labels.', 'INBOX'),
    include_spam_trash: flag('Includes spam and trash.', { default: false }),
    detail: choice(['ids', 'headers', 'full'], 'Parts of each message to return.', { default: 'headers' }),
    limit: integer('Maximum number of messages.', 10, { minimum: 1, maximum: MAX_MESSAGES, default: DEFAULT_LIMIT }),
  },
  required: [],
  output: outputOf(
    {
      items: list(MESSAGE, 'Messages.'),
      count: integer('Number of messages.'),
      more: flag('Whether there are more messages than the limit.'),
    },
    ['items', 'count', 'more'],
  ),
  async run(input, _account, _ctx, send) {
    const limit = numberAt(input, 'limit') ?? DEFAULT_LIMIT;
    const found = await send({
      method: 'GET',
      url: '/gmail/v1/users/me/messages',
      query: {
        maxResults: limit,
        q: textAt(input, 'query'),
        labelIds: textsAt(input, 'label_ids'),
        includeSpamTrash: input.include_spam_trash === true ? true : undefined,
      },
    });
    if (found.kind === 'failed') return found.outcome;
    const ids = listAt(found.response.body, 'messages').slice(0, limit);
    const more = textAt(found.response.body, 'nextPageToken') !== undefined;
    const items: Json[] = [];
    for (const one of ids) {
      if (input.detail === 'ids') {
        items.push({ id: textAt(one, 'id') ?? '', thread_id: textAt(one, 'threadId') ?? '' });
        continue;
      }
      const message = await send({
        method: 'GET',
        url: urlPath`/gmail/v1/users/me/messages/${textAt(one, 'id')}`,
        query: { format: input.detail === 'full' ? 'full' : 'metadata' },
      });
      if (message.kind === 'failed') return message.outcome;
      items.push(messageOf(message.response.body));
    }
    return done({ items, count: items.length, more });
  },
};
