import { parseFieldPath, valueAt } from '../../../lib/field-path';
import type { Json } from '../../../lib/json';
import type { Poller } from '../contract';
import { misconfigured, unreadable } from '../fault';
import { ITEM_KEY, itemsOf } from '../list';
import { parseJsonBytes, readPage } from '../page';

/** A list in a JSON document on the web. Items are identified by one of their members, or by their content. */
export const httpPoll: Poller = {
  type: 'http_poll',
  async poll(context) {
    const { config, cursor } = context;
    const page = await readPage(context, { accept: 'application/json' });
    if (page.kind === 'unchanged') return { kind: 'items', items: [], cursor, more: false };
    const list = listIn(await parseJsonBytes(page.bytes, 'the response'), config.items);
    const key = config.id === undefined ? ITEM_KEY : { text: String(config.id), path: pathOf(String(config.id), 'id') };
    const items = await itemsOf(list, key, (id, item) => ({ id, item }));
    return { kind: 'items', items, cursor: { ...page.validators }, more: false };
  },
};

function listIn(document: Json, path: Json | undefined): Json[] {
  const where = path === undefined ? 'the response' : `"${String(path)}" of the response`;
  const list = path === undefined ? document : valueAt(document, pathOf(String(path), 'items'));
  if (!Array.isArray(list)) throw unreadable(`${where} is not a list`);
  return list;
}

function pathOf(text: string, key: string) {
  const path = parseFieldPath(text);
  if (path === null) throw misconfigured(`"${key}" is not a path such as data.items`);
  return path;
}
