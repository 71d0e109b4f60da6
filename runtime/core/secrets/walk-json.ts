import { type Json, type JsonObject, jsonSize } from '../../../lib/json';
import { TimeSlice } from '../../../lib/time-slices';

/** Changes to the texts (keys too) and numbers of a value. */
export interface Changes {
  text(text: string): Json;
  number(number: number): Json;
  /** `text` for a long text, in slices of time; defaults to `text`. */
  longText?(text: string, slice: TimeSlice): Promise<Json>;
  /** True for a list or an object that needs no change. */
  skips?(value: object): boolean;
}

/** Shorter values and texts are processed in one go. */
const MAX_SHORT_CHARS = 32 * 1024;
/** Small items between two checks of the clock. */
const ITEMS_PER_CLOCK_CHECK = 64;

/** The value with its texts and numbers changed; the same object where nothing changed. */
export function walk(value: Json, changes: Changes): Json {
  if (typeof value === 'string') return changes.text(value);
  if (typeof value === 'number') return changes.number(value);
  if (value === null || typeof value !== 'object' || changes.skips?.(value) === true) return value;
  if (Array.isArray(value)) {
    let items: Json[] = value;
    for (let index = 0; index < value.length; index++) {
      const before = value[index] as Json;
      const after = walk(before, changes);
      if (after === before) continue;
      if (items === value) items = [...value];
      items[index] = after;
    }
    return items;
  }
  let isSame = true;
  const members: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const before = value[key] as Json;
    const [newKey, after] = [String(changes.text(key)), walk(before, changes)];
    isSame &&= newKey === key && after === before;
    members.push([newKey, after]);
  }
  return isSame ? value : Object.fromEntries(members);
}

/** True for a value that may take `walk` long. */
export const isLong = (value: Json): boolean => jsonSize(value, MAX_SHORT_CHARS) > MAX_SHORT_CHARS;

/** As `walk`, in slices of time. The value must not change meanwhile. */
export const walkSliced = (value: Json, changes: Changes): Promise<Json> => walkLong(value, changes, new TimeSlice());

async function walkLong(value: Json, changes: Changes, slice: TimeSlice): Promise<Json> {
  if (slice.due) await slice.pause();
  if (typeof value === 'string')
    return changes.longText === undefined ? changes.text(value) : changes.longText(value, slice);
  if (value === null || typeof value !== 'object' || changes.skips?.(value) === true) return walk(value, changes);
  return Array.isArray(value) ? walkItems(value, changes, slice) : walkMembers(value, changes, slice);
}

async function walkItems(items: Json[], changes: Changes, slice: TimeSlice): Promise<Json> {
  let isSame = true;
  const after: Json[] = [];
  for (const [index, item] of items.entries()) {
    const changed = isLong(item) ? await walkLong(item, changes, slice) : walk(item, changes);
    isSame &&= changed === item;
    after.push(changed);
    if (index % ITEMS_PER_CLOCK_CHECK === 0 && slice.due) await slice.pause();
  }
  return isSame ? items : after;
}

async function walkMembers(object: JsonObject, changes: Changes, slice: TimeSlice): Promise<Json> {
  let isSame = true;
  const members: [string, Json][] = [];
  for (const [index, key] of Object.keys(object).entries()) {
    const member = object[key] as Json;
    const changed = isLong(member) ? await walkLong(member, changes, slice) : walk(member, changes);
    const newKey = String(changes.text(key));
    isSame &&= newKey === key && changed === member;
    members.push([newKey, changed]);
    if (index % ITEMS_PER_CLOCK_CHECK === 0 && slice.due) await slice.pause();
  }
  return isSame ? object : Object.fromEntries(members);
}
