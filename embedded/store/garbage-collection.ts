import { decodeValue } from '../bson/decode';
import { TYPE } from '../bson/wire';
import type { Catalog, Garbage } from './catalog';
import type { Collection } from './collection';
import type { Environment } from './environment';
import { first } from './first';
import type { Index } from './index-spec';
import { KeyWriter, successor } from './key-encoding';
import { type Located, locate } from './raw-bson';
import type { Records } from './records';
import { collectionPrefix, recordIdAtEnd } from './record-key';
import type { Task } from './task';

/** Rows deleted per transaction, in about a millisecond. */
const CHUNK = 500;

interface GarbageCollectionDeps {
  readonly env: Environment;
  readonly catalog: Catalog;
  readonly records: Records;
}

/**
 * Deletes the rows of dropped collections and indexes. Each run starts after the entry tried last, so that damaged rows
 * do not block others.
 */
export function* collectGarbage(
  { env, catalog }: Pick<GarbageCollectionDeps, 'env' | 'catalog'>,
  last: { tried: Buffer },
): Task<void> {
  const all = catalog.garbage();
  const left = all.filter(({ key }) => key.compare(last.tried) > 0);
  for (const garbage of left.length > 0 ? left : all) {
    last.tried = garbage.key;
    while (deleteSome(env, garbage)) yield;
    catalog.forget(garbage);
    yield;
  }
}

function deleteSome(env: Environment, { table, prefix }: Garbage): boolean {
  const removed =
    table === 'documents'
      ? env.documents.removeSome(prefix.readUInt32BE(0), CHUNK)
      : env.indexes.removeSome({ start: prefix, end: successor(prefix) }, CHUNK);
  return removed === CHUNK;
}

/** Empty pages released per transaction, and how many the file may keep: a quarter of it, or 16 MiB. */
const PAGES_AT_ONCE = 500;
const KEPT_PAGES = 4_000;

/** Shrinks the file when much of it is empty, and as far as possible while space is short. */
export function* releaseEmptyPages({ env }: { env: Environment }): Task<void> {
  for (;;) {
    const { pages, free } = env.pages();
    if (free <= (env.reserve.released ? 0 : Math.max(KEPT_PAGES, pages / 4))) return;
    env.giveBack(PAGES_AT_ONCE);
    yield;
  }
}

/** Removes expired documents of a collection by its TTL indexes; returns their number. */
export function* removeExpired(parts: GarbageCollectionDeps, collectionId: number, nowMs: number): Task<number> {
  let removed = 0;
  const collection = parts.catalog.get(collectionId);
  for (const index of collection?.indexes ?? []) {
    if (collection === undefined || index.expireAfterSeconds === undefined || index.builtTo !== null) continue;
    removed += yield* expire(parts, collection, index, nowMs - index.expireAfterSeconds * 1000);
  }
  return removed;
}

function* expire(
  { env, catalog, records }: GarbageCollectionDeps,
  collection: Collection,
  index: Index,
  beforeMs: number,
): Task<number> {
  const range = datesUpTo(index, beforeMs);
  let removed = 0;
  let last: Buffer | undefined;
  for (;;) {
    if (catalog.get(collection.id) !== collection) return removed;
    const rows = first(CHUNK, env.indexes.rows(range, { last }));
    for (const { key, value } of rows) {
      last = key;
      const recordId = recordIdAtEnd(index.unique ? value : key);
      const bytes = records.get(collection, recordId);
      if (bytes === undefined || !isExpired(index, bytes, beforeMs)) continue;
      records.remove(collection, recordId, bytes);
      removed++;
    }
    if (rows.length < CHUNK) return removed;
    yield;
  }
}

/** Index keys of dates up to `beforeMs`. */
function datesUpTo(index: Index, beforeMs: number): { start: Buffer; end: Buffer } {
  const descending = index.fields[0]?.descending === true;
  const key = (millis: number): Buffer => {
    const writer = new KeyWriter();
    writer.value(new Date(millis));
    writer.endField(0, index.fieldLimit, descending);
    return Buffer.concat([collectionPrefix(index.id), writer.take()]);
  };
  const [oldest, newest] = [key(-8.64e15), key(beforeMs)];
  return descending ? { start: newest, end: successor(oldest) } : { start: oldest, end: successor(newest) };
}

const located: Located = { type: 0, at: 0 };

/** An array of dates expires by its earliest, whose key was found. */
function isExpired(index: Index, bytes: Buffer, beforeMs: number): boolean {
  const field = index.fields[0];
  if (field === undefined) return false;
  const found = locate(bytes, field.raw, located);
  if (found === 'array') return true;
  if (found !== 'value' || located.type !== TYPE.date) return false;
  const date = decodeValue(bytes, located.type, located.at);
  return date instanceof Date && date.getTime() <= beforeMs;
}
