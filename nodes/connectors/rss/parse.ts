import type { AnyFeed, AtomFeed, JsonFeed, RdfFeed, RssFeed } from 'feedsmith';
import { DomUtils, parseDocument } from 'htmlparser2';
import { defineTask } from '../../../lib/compute';
import type { Feed, FeedItem, FeedSource } from './feed';

const MAX_FEED_CHARS = 5 * 1024 * 1024;
const MAX_ITEMS = 1_000;
const MAX_TEXT_CHARS = 256 * 1024;
const MAX_CATEGORIES = 100;

type FeedResult =
  | { readonly kind: 'feed'; readonly feed: Feed }
  | { readonly kind: 'refused'; readonly message: string };

/** Reads a feed. To be run on a thread: for some malformed documents the time of the parser grows with their square. */
export const feedTask = defineTask(
  'nodes/connectors/rss/parse',
  'feedTask',
  async (source: FeedSource): Promise<FeedResult> => {
    // Loaded where a feed is read: it is 100 ms of work, and no other thread needs it.
    const { parseFeed, DetectError, MalformedError, ParseError } = await import('feedsmith');
    const text = textOf(source);
    if (text.length > MAX_FEED_CHARS) return refused('The feed is larger than 5 MiB');
    try {
      return { kind: 'feed', feed: withLinks(feedOf(parseFeed(text, { maxItems: MAX_ITEMS })), source.url) };
    } catch (fault) {
      if (fault instanceof DetectError || fault instanceof MalformedError || fault instanceof ParseError)
        return refused('The document is not an RSS, Atom or JSON feed');
      throw fault;
    }
  },
);

const refused = (message: string): FeedResult => ({ kind: 'refused', message });

/** Decoded by the charset of the media type, else by that of the XML declaration, else as UTF-8. */
function textOf({ bytes, contentType }: FeedSource): string {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const charset =
    /;\s*charset="?([\w.:-]+)"?/i.exec(contentType)?.[1] ??
    /^<\?xml[^>]*\bencoding=["']([\w.:-]+)["']/.exec(start)?.[1];
  return decoderFor(charset ?? 'utf-8').decode(bytes);
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    // RangeError, for an unknown charset; UTF-8 is the likeliest one.
    return new TextDecoder();
  }
}

function feedOf(parsed: AnyFeed): Feed {
  switch (parsed.format) {
    case 'rss':
      return feed(parsed.feed.title, parsed.feed.link, parsed.feed.items?.map(rssItem));
    case 'rdf':
      return feed(parsed.feed.title, parsed.feed.link, parsed.feed.items?.map(rdfItem));
    case 'atom':
      return feed(
        plain(parsed.feed.title),
        linkOf(parsed.feed.links, 'alternate')?.href,
        parsed.feed.entries?.map(atomItem),
      );
    case 'json':
      return feed(parsed.feed.title, parsed.feed.home_page_url, parsed.feed.items?.map(jsonItem));
  }
}

const feed = (title: string | undefined, link: string | undefined, items: readonly FeedItem[] = []): Feed => ({
  title: textOrNull(title) ?? '',
  link: link ?? null,
  items,
});

function rssItem(item: RssFeed.Item<string>): FeedItem {
  return itemOf({
    id: item.guid?.value,
    title: item.title,
    link: item.link ?? permalinkOf(item.guid),
    summary: item.description,
    content: item.content?.encoded,
    author: item.dc?.creators?.[0] ?? nameOf(item.authors?.[0]),
    categories: item.categories?.map(({ name }) => name),
    published: item.pubDate ?? item.dc?.dates?.[0],
    enclosure: item.enclosures?.[0],
  });
}

const nameOf = (person: RssFeed.Person | undefined): string | undefined =>
  person?.name ?? person?.email ?? person?.link;

/** The id of an entry is also its link, unless it has `isPermaLink="false"`. */
function permalinkOf({ value = '', isPermaLink = true }: RssFeed.Item<string>['guid'] = {}): string | undefined {
  return isPermaLink && /^https?:\/\//.test(value) ? value : undefined;
}

const rdfItem = (item: RdfFeed.Item<string>): FeedItem =>
  itemOf({
    title: item.title,
    link: item.link,
    summary: item.description,
    content: item.content?.encoded,
    author: item.dc?.creators?.[0],
    categories: item.dc?.subjects,
    published: item.dc?.dates?.[0],
  });

function atomItem(entry: AtomFeed.Entry<string>): FeedItem {
  const file = linkOf(entry.links, 'enclosure');
  return itemOf({
    id: entry.id,
    title: plain(entry.title),
    link: linkOf(entry.links, 'alternate')?.href,
    summary: entry.summary?.value,
    content: entry.content?.value,
    author: entry.authors?.[0]?.name ?? entry.dc?.creators?.[0],
    categories: entry.categories?.map(({ term }) => term),
    published: entry.published,
    updated: entry.updated,
    enclosure: file && { url: file.href, type: file.type },
  });
}

function jsonItem(item: JsonFeed.Item<string>): FeedItem {
  const [file] = item.attachments ?? [];
  return itemOf({
    id: item.id,
    title: item.title,
    link: item.url ?? item.external_url,
    summary: item.summary,
    content: item.content_html ?? item.content_text,
    author: item.authors?.[0]?.name,
    categories: item.tags,
    published: item.date_published,
    updated: item.date_modified,
    enclosure: file && { url: file.url, type: file.mime_type },
  });
}

/** Any member may be missing from a feed. */
interface Members {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly link?: string | undefined;
  readonly summary?: string | undefined;
  readonly content?: string | undefined;
  readonly author?: string | undefined;
  readonly categories?: readonly (string | undefined)[] | undefined;
  readonly published?: string | undefined;
  readonly updated?: string | undefined;
  readonly enclosure?: { readonly url?: string | undefined; readonly type?: string | undefined } | undefined;
}

const itemOf = ({ enclosure, ...given }: Members): FeedItem => ({
  id: given.id ?? given.link ?? null,
  title: textOrNull(given.title) ?? '',
  link: given.link ?? null,
  summary: textOrNull(given.summary),
  content: textOrNull(given.content),
  author: textOrNull(given.author),
  categories: (given.categories ?? []).filter((name) => name !== undefined).slice(0, MAX_CATEGORIES),
  published_at: timeOf(given.published),
  updated_at: timeOf(given.updated),
  enclosure: enclosure?.url === undefined ? null : { url: enclosure.url, type: enclosure.type ?? null },
});

const textOrNull = (text: string | undefined): string | null => text?.slice(0, MAX_TEXT_CHARS) ?? null;

/** A title in XHTML as text; any other is as its author wrote it. */
const plain = (text: AtomFeed.Text | undefined): string | undefined =>
  text?.type === 'xhtml' ? DomUtils.textContent(parseDocument(text.value)) : text?.value;

/** Links of Atom are alternates unless they have another relation. */
const linkOf = (links: AtomFeed.Entry<string>['links'], wanted: string) =>
  links?.find(({ rel = 'alternate', href }) => rel === wanted && href !== undefined);

/** A time (RFC 822 or RFC 3339) as RFC 3339; null if it is invalid. */
function timeOf(text: string | undefined): string | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

function withLinks({ title, link, items }: Feed, url: string): Feed {
  const home = absolute(link, url);
  const base = home ?? url;
  return {
    title,
    link: home,
    items: items.map(({ enclosure, ...item }) => ({
      ...item,
      link: absolute(item.link, base),
      enclosure: enclosure && { ...enclosure, url: absolute(enclosure.url, base) ?? enclosure.url },
    })),
  };
}

/** The URL, unchanged if it cannot be resolved. */
const absolute = (link: string | null, base: string): string | null =>
  link !== null && URL.canParse(link, base) ? new URL(link, base).href : link;
