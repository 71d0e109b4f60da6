import { canonicalJson, isObject, type Json, type JsonObject } from '../lib/json';

/** A difference. `from` is absent for added values, `to` for removed ones. */
interface Difference {
  readonly path: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** Differences of two JSON values. The order of members is ignored; list items with ids are compared by id. Pure. */
export function differences(from: Json | undefined, to: Json | undefined, path = ''): Difference[] {
  if (from === undefined || to === undefined) return from === to ? [] : [{ path, from, to }];
  if (canonicalJson(from) === canonicalJson(to)) return [];
  if (isObject(from) && isObject(to)) return inMembers(from, to, path, '.');
  if (Array.isArray(from) && Array.isArray(to)) return inLists(from, to, path);
  return [{ path, from, to }];
}

function inMembers(from: JsonObject, to: JsonObject, path: string, mark: '.' | '['): Difference[] {
  const own = (object: JsonObject, key: string): Json | undefined =>
    Object.hasOwn(object, key) ? object[key] : undefined;
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) => {
    const place = mark === '[' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    return differences(own(from, key), own(to, key), place);
  });
}

function inLists(from: Json[], to: Json[], path: string): Difference[] {
  const [byIdFrom, byIdTo] = [byId(from), byId(to)];
  if (byIdFrom === null || byIdTo === null) return inMembers(byPlace(from), byPlace(to), path, '[');
  const inside = inMembers(byIdFrom, byIdTo, path, '[');
  const order = (ids: string[], other: JsonObject): string => ids.filter((id) => Object.hasOwn(other, id)).join();
  const [idsFrom, idsTo] = [Object.keys(byIdFrom), Object.keys(byIdTo)];
  if (order(idsFrom, byIdTo) === order(idsTo, byIdFrom)) return inside;
  return [...inside, { path: `${path} (order)`, from: idsFrom, to: idsTo }];
}

const byPlace = (list: Json[]): JsonObject => Object.fromEntries(list.entries());

/** Items by id; null when ids are missing, duplicate, or not usable as ordered keys. */
function byId(list: Json[]): JsonObject | null {
  const found: JsonObject = Object.create(null) as JsonObject;
  for (const item of list) {
    const id = isObject(item) ? item.id : undefined;
    // Integer-like keys would be moved to the front.
    if (typeof id !== 'string' || /^\d+$/.test(id) || Object.hasOwn(found, id)) return null;
    found[id] = item;
  }
  return found;
}
