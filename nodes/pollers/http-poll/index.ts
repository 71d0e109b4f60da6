import { parseFieldPath, valueAt } from '../../../lib/field-path';
import type { Json } from '../../../lib/json';
import type { Poller } from '../contract';
import { misconfigured, unreadable } from '../fault';
import { ITEM_KEY, itemsOf } from '../list';
import { jsonInBytes, readPage } from '../page';

/** A list in a JSON document on the web. Its items are known by a member of theirs, or by all that they are. */
export const httpPoll: Poller = {
  type: 'http_poll',
  async poll(world) {
    const { config, cursor } = world;
    const page = await readPage(world, { accept: 'application/json' });
    if (page.kind === 'same') return { kind: 'items', items: [], cursor, more: false };
    const list = listIn(await jsonInBytes(page.bytes, 'the answer'), config.items);
    const key = config.id === undefined ? ITEM_KEY : { text: String(config.id), path: pathOf(String(config.id), 'id') };
    const items = await itemsOf(list, key, (id, item) => ({ id, item }));
    return { kind: 'items', items, cursor: { ...page.validators }, more: false };
  },
};

function listIn(document: Json, place: Json | undefined): Json[] {
  const where = place === undefined ? 'the answer' : `"${String(place)}" of the answer`;
  const list = place === undefined ? document : valueAt(document, pathOf(String(place), 'items'));
  if (!Array.isArray(list)) throw unreadable(`${where} is no list`);
  return list;
}

function pathOf(text: string, key: string) {
  const path = parseFieldPath(text);
  if (path === null) throw misconfigured(`"${key}" is no path such as data.items`);
  return path;
}
