import { hashJson, type JsonObject } from '../../../lib/json';
import type { Feed } from '../../connectors/rss/feed';
import { FeedError, readFeed } from '../../connectors/rss/read';
import type { Poller, PollItem, PollContext } from '../contract';
import { unreadable } from '../fault';
import { type Page, readPage } from '../page';

const MAX_ID_CHARS = 1_000;
const ACCEPT = 'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5';

/** A feed: RSS, Atom or JSON Feed. */
export const rss: Poller = {
  type: 'rss',
  async poll(context) {
    const page = await readPage(context, { accept: ACCEPT });
    if (page.kind === 'unchanged') return { kind: 'items', items: [], cursor: context.cursor, more: false };
    const feed = await feedOf(page, context);
    // Feeds have their newest first; the oldest is to start first.
    const items = itemsOf(feed).reverse();
    return { kind: 'items', items, cursor: { ...page.validators }, more: false };
  },
};

async function feedOf(page: Extract<Page, { kind: 'page' }>, { compute, signal }: PollContext): Promise<Feed> {
  try {
    return await readFeed(page, compute, signal);
  } catch (thrown) {
    if (thrown instanceof FeedError) throw unreadable(thrown.message);
    throw thrown;
  }
}

const itemsOf = ({ title, link, items }: Feed): PollItem[] =>
  items.map((item) => {
    const trigger: JsonObject = {
      ...item,
      categories: [...item.categories],
      enclosure: item.enclosure && { ...item.enclosure },
      feed: { title, link },
    };
    const id = item.id === null || item.id.length > MAX_ID_CHARS ? hashJson({ ...trigger, feed: null }) : item.id;
    return { id, trigger: { ...trigger, id } };
  });
