import { type FieldPath, valueAt } from '../../lib/field-path';
import type { Json, JsonObject } from '../../lib/json';
import { hashJsonSliced } from '../../lib/json/hash-sliced';
import { TimeSlice } from '../../lib/time-slices';
import type { PollItem } from './contract';
import { unreadable } from './fault';

/** Fewer items than ids are remembered, so that items are always recognized. */
export const MAX_ITEMS = 1_000;
const MAX_ID_LENGTH = 1_000;
const ID: FieldPath = ['id'];

/** Path of the member that identifies an item. `text` null: `id`, or the whole item if it has none. */
interface ItemKey {
  readonly text: string | null;
  readonly path: FieldPath;
}

export const ITEM_KEY: ItemKey = { text: null, path: ID };

/**
 * The first items of a list, each with its id. `triggerOf` returns the trigger of the run.
 * @throws PollFault if an item has no id at the configured path
 */
export async function itemsOf(
  list: readonly Json[],
  { text, path }: ItemKey,
  triggerOf: (id: string, item: Json) => JsonObject,
): Promise<PollItem[]> {
  const items: PollItem[] = [];
  const slice = new TimeSlice();
  for (const item of list.slice(0, MAX_ITEMS)) {
    const found = valueAt(item, path);
    const own = typeof found === 'string' || typeof found === 'number' ? String(found) : null;
    if (own === null && text !== null) throw unreadable(`an item of the list has no "${text}" to identify it`);
    const id = own === null || own.length > MAX_ID_LENGTH ? await hashJsonSliced(item) : own;
    items.push({ id, trigger: triggerOf(id, item) });
    if (slice.due) await slice.pause();
  }
  return items;
}
