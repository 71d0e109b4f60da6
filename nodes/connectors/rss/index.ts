import type { JsonObject } from '../../../lib/json';
import type { Outcome } from '../../contract';
import type { ActionContext, Send } from '../contract';
import { choice, integer, list, object, text } from '../../schema';
import { InvalidInputError } from '../invalid-input-error';
import { failFinally, done } from '../../outcome';
import type { Feed } from './feed';
import { FeedError, readFeed } from './read';
import { defineConnector } from '../define';

const textOrNull = (title: string, description: string) => ({
  anyOf: [{ type: 'string' }, { type: 'null' }],
  title,
  description,
});

const item = object(
  {
    id: textOrNull('Id', "The feed's own, else the link."),
    title: text('Title of the entry.'),
    link: textOrNull('Link', 'Where it is to be read.'),
    summary: textOrNull('Summary', 'As the feed has it, HTML and all.'),
    content: textOrNull('Content', 'The whole of it, where the feed has it.'),
    author: textOrNull('Author', 'Sender.'),
    categories: list({ type: 'string' }, 'Subject.'),
    published_at: textOrNull('Published', 'ISO 8601 timestamp.'),
    updated_at: textOrNull('Updated', 'ISO 8601 timestamp.'),
    enclosure: {
      anyOf: [{ type: 'object' }, { type: 'null' }],
      title: 'Enclosure',
      description: 'Enclosures with `url` and `type`, such as a recording.',
    },
  },
  'One entry of the feed.',
);

/** Feeds of anybody. */
export const rss = defineConnector({
  name: 'rss',
  title: 'RSS',
  description: 'Read RSS, Atom and JSON feeds.',
  category: 'Data',
  docs: 'https://www.rssboard.org/rss-specification',
  needsConnection: false,
  fields: [],
  base: '',
  sign: (request) => request,
  actions: [
    {
      kind: 'code',
      name: 'read',
      title: 'Read a feed',
      description: 'Fetches a feed and returns its entries.',
      effect: 'read',
      repeatable: true,
      input: {
        url: text('URL of the feed, http or https.', 'https://example.com/feed.xml', { maxLength: 8_192 }),
        order: choice(['feed', 'newest', 'oldest'], 'Order of the entries: that of the feed, or by time.', {
          default: 'feed',
        }),
        limit: integer('Maximum number of entries.', { minimum: 1, maximum: 1_000, default: 100 }),
      },
      required: ['url'],
      output: {
        type: 'object',
        properties: {
          title: text('Title of the feed.'),
          link: textOrNull('Link', 'Whose feed it is.'),
          items: list(item, 'Entries up to the limit.'),
          count: integer('Number of entries.'),
        },
        required: ['title', 'link', 'items', 'count'],
        additionalProperties: false,
      },
      run: (input, _account, ctx, send) => read(input, ctx, send),
    },
  ],
});

const ACCEPT =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, application/json;q=0.8, */*;q=0.5';

async function read({ url, order, limit = 100 }: JsonObject, ctx: ActionContext, send: Send): Promise<Outcome> {
  const address = addressOf(url);
  const sent = await send({ method: 'GET', url: address, headers: { accept: ACCEPT } });
  if (sent.kind === 'failed') return sent.outcome;
  const { bytes, headers } = sent.response;
  try {
    const source = { bytes, contentType: headers['content-type'] ?? '', url: address };
    const feed = await readFeed(source, ctx.capabilities.compute, ctx.signal);
    const items = ordered(feed.items, order).slice(0, Number(limit));
    // Plain data; only the type is read-only.
    return done({ title: feed.title, link: feed.link, items: items as unknown as JsonObject[], count: items.length });
  } catch (fault) {
    if (!(fault instanceof FeedError)) throw fault;
    return { ...failFinally('invalid_response', fault.message), retryable: fault.retryable };
  }
}

function addressOf(url: unknown): string {
  if (typeof url === 'string' && /^https?:\/\//i.test(url)) return url;
  throw new InvalidInputError('"url" must begin with http:// or https://');
}

/** Entries that have no time come last. */
function ordered(items: Feed['items'], order: unknown): Feed['items'] {
  if (order !== 'newest' && order !== 'oldest') return items;
  const sign = order === 'newest' ? -1 : 1;
  const timeOf = ({ published_at, updated_at }: Feed['items'][number]): string => published_at ?? updated_at ?? '';
  return [...items].sort((a, b) => {
    const [left, right] = [timeOf(a), timeOf(b)];
    if (left === '' || right === '') return left === right ? 0 : left === '' ? 1 : -1;
    return left < right ? -sign : left > right ? sign : 0;
  });
}
