import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { readJsonFeed } from './json-feed';
import { type Feed, type FeedItem, MAX_FEED, NotAFeed } from './shape';
import { readXmlFeed } from './xml-feed';

export { type Feed, type FeedItem, NotAFeed } from './shape';

/**
 * Reads a feed: RSS 0.9 to 2.0, Atom 1.0 (RFC 4287), or JSON Feed 1.0 and 1.1. Links are made whole against the feed's
 * own, or `url`, from where it was got. Others have their turn while it reads. @throws NotAFeed
 */
export async function readFeed(given: string, url?: string): Promise<Feed> {
  if (given.length > MAX_FEED) throw new NotAFeed('the feed is larger than 5 MiB');
  const text = given.trimStart();
  const feed = text.startsWith('{') ? readJsonFeed(parsed(text)) : await readXmlFeed(text);
  const link = whole(feed.link, url);
  return { ...feed, link, items: feed.items.map((item) => linked(item, link ?? url)) };
}

/** The text of a feed: by the charset of the type, else by that of the XML declaration, else UTF-8. */
export function feedText(bytes: Uint8Array, contentType: string): string {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const charset =
    /;\s*charset="?([\w.:-]+)"?/i.exec(contentType)?.[1] ??
    /^<\?xml[^>]*\bencoding=["']([\w.:-]+)["']/.exec(start)?.[1];
  return decoderFor(charset ?? 'utf-8').decode(bytes);
}

function linked(item: FeedItem, base: string | undefined): FeedItem {
  const { enclosure } = item;
  const file = enclosure === null ? null : whole(enclosure.url, base);
  return {
    ...item,
    link: whole(item.link, base),
    enclosure: enclosure === null || file === null ? null : { ...enclosure, url: file },
  };
}

/** The link as it is where nothing makes it whole. */
const whole = (link: string | null, base: string | undefined): string | null =>
  link !== null && URL.canParse(link, base) ? new URL(link, base).href : link;

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    // RangeError, for a charset that nobody knows; UTF-8 is the likeliest truth.
    return new TextDecoder();
  }
}

function parsed(text: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // JSON.parse throws for bad syntax alone.
    throw new NotAFeed('the text is no feed, and no JSON');
  }
  if (!isObject(value)) throw new NotAFeed('the JSON is no feed');
  return value;
}
