import type { Json, JsonObject } from '../../../lib/json';
import { isObject } from '../../../lib/json';
import { type Feed, type FeedItem, MOST_ITEMS, NotAFeed, timeOf } from './shape';

/** Reads a JSON Feed (version 1 and 1.1). @throws NotAFeed */
export function readJsonFeed(document: JsonObject): Feed {
  const { items } = document;
  if (!Array.isArray(items)) throw new NotAFeed('the JSON has no "items"');
  return {
    title: textIn(document, 'title') ?? '',
    link: textIn(document, 'home_page_url'),
    items: items.flatMap((item) => (isObject(item) ? [itemOf(item)] : [])).slice(0, MOST_ITEMS),
  };
}

function itemOf(item: JsonObject): FeedItem {
  const { id } = item;
  const link = textIn(item, 'url') ?? textIn(item, 'external_url');
  const [file] = listIn(item, 'attachments');
  const fileUrl = textIn(file, 'url');
  return {
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : link,
    title: textIn(item, 'title') ?? '',
    link,
    summary: textIn(item, 'summary'),
    content: textIn(item, 'content_html') ?? textIn(item, 'content_text'),
    author: textIn(listIn(item, 'authors')[0], 'name') ?? textIn(item.author, 'name'),
    categories: listIn(item, 'tags').filter((tag) => typeof tag === 'string'),
    published_at: timeOf(textIn(item, 'date_published')),
    updated_at: timeOf(textIn(item, 'date_modified')),
    enclosure: fileUrl === null ? null : { url: fileUrl, type: textIn(file, 'mime_type') },
  };
}

function textIn(value: Json | undefined, name: string): string | null {
  const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === 'string' ? found : null;
}

function listIn(value: JsonObject, name: string): Json[] {
  const found = value[name];
  return Array.isArray(found) ? found : [];
}
