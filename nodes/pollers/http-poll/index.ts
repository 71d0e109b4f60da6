import { parseFieldPath, valueAt } from '../../../lib/field-path';
import { hashJson, type Json } from '../../../lib/json';
import type { Poller, PollItem } from '../contract';
import { misconfigured, unreadable } from '../fault';
import { jsonInBytes, readPage } from '../page';

/** How much of a list is looked at: less than what is remembered, so that what is in it is always known again. */
const MOST_ITEMS = 1_000;
const LONGEST_ID = 1_000;
const ID = 'id';

/** A list in a JSON document on the web. Its items are known by a member of theirs, or by all that they are. */
export const httpPoll: Poller = {
  type: 'http_poll',
  async poll(world) {
    const { config, cursor } = world;
    const page = await readPage(world, { accept: 'application/json' });
    if (page.kind === 'same') return { kind: 'items', items: [], cursor, more: false };
    const list = listIn(jsonInBytes(page.bytes, 'the answer'), config.items);
    const named = config.id !== undefined;
    const path = pathOf(String(config.id ?? ID), 'id');
    const items = list.slice(0, MOST_ITEMS).map((item): PollItem => {
      const found = valueAt(item, path);
      const id = typeof found === 'string' || typeof found === 'number' ? String(found) : null;
      if (id === null && named) throw unreadable(`an item of the list has no "${String(config.id)}" to know it by`);
      const known = id === null || id.length > LONGEST_ID ? hashJson(item) : id;
      return { id: known, trigger: { id: known, item } };
    });
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
