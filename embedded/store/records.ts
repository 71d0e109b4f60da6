import { decode, decodeValue } from '../bson/decode';
import { ServerError } from '../bson/error';
import type { Doc, Value } from '../bson/value';
import type { Change } from '../update/leaf';
import type { Catalog } from './catalog';
import type { Collection } from './collection';
import type { Environment } from './environment';
import { type IndexEntries, indexEntries } from './index-keys';
import type { Index } from './index-spec';
import type { Tested } from './partial-filter';
import { type Located, locate } from './raw-bson';
import { recordIdAtEnd, recordIdBytes } from './record-key';

/** Maximum document size in bytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

const NOTHING = Buffer.alloc(0);

/**
 * Documents and their index entries, always changed together.
 *
 * R1 Everything that can reject a write (size, keys, uniqueness) is checked before the first row is changed, so a
 *   rejected document leaves no trace, and other writes of the transaction stand.
 * R2 A document is in an index exactly when the index is complete, or its record id is not above `builtTo`.
 */
export class Records {
  constructor(
    private readonly env: Environment,
    private readonly catalog: Catalog,
  ) {}

  get(collection: Collection, recordId: number): Buffer | undefined {
    return this.env.documents.get(collection.id, recordId);
  }

  /** Stores a new document, whose first field is its _id. @throws ServerError 11000, 10334, 171 */
  insert(collection: Collection, bytes: Buffer): number {
    checkSize(bytes);
    const recordId = collection.nextRecord;
    const writes = this.plan(collection, recordId, undefined, bytes);
    collection.nextRecord++;
    this.apply(collection, recordId, writes);
    this.env.documents.put(collection.id, recordId, bytes);
    collection.count++;
    collection.bytes += bytes.length;
    this.catalog.touch(collection);
    return recordId;
  }

  /** Changes a stored document. @throws ServerError 11000, 10334, 171 */
  replace(collection: Collection, recordId: number, previous: Buffer, { after: next, fields }: Change): void {
    checkSize(next);
    this.apply(collection, recordId, this.plan(collection, recordId, previous, next, fields));
    this.env.documents.put(collection.id, recordId, next);
    collection.bytes += next.length - previous.length;
    this.catalog.touch(collection);
  }

  remove(collection: Collection, recordId: number, previous: Buffer): void {
    const tested: Tested = new Map();
    for (const index of collection.indexes) {
      if (!holds(index, recordId)) continue;
      for (const key of indexEntries(index, previous, tested).keys) this.removeEntry(index, key, recordId);
    }
    this.env.documents.remove(collection.id, recordId);
    collection.count--;
    collection.bytes -= previous.length;
    this.catalog.touch(collection);
  }

  /** Adds the entries of a stored document to an index under construction. @throws ServerError 11000, 171 */
  addToIndex(collection: Collection, index: Index, recordId: number, bytes: Buffer): void {
    const entries = indexEntries(index, bytes);
    for (const key of entries.keys) this.checkUnique(collection, index, key, recordId, bytes);
    this.apply(collection, recordId, [{ index, added: entries, removed: [] }]);
  }

  /** The record with this key in a unique index. */
  owner(index: Index, key: Buffer): number | undefined {
    const value = this.env.indexes.get(key);
    return value === undefined ? undefined : recordIdAtEnd(value);
  }

  /** @param fields the changed top-level fields, where they are known */
  private plan(
    collection: Collection,
    recordId: number,
    previous: Buffer | undefined,
    next: Buffer,
    fields?: ReadonlySet<string>,
  ): IndexChange[] {
    const changes: IndexChange[] = [];
    const tested: Tested = new Map();
    const testedBefore: Tested = new Map();
    for (const index of collection.indexes) {
      if (!holds(index, recordId) || (fields !== undefined && !index.roots.some((name) => fields.has(name)))) continue;
      const added = indexEntries(index, next, tested);
      const old = previous === undefined ? [] : indexEntries(index, previous, testedBefore).keys;
      if (sameKeys(old, added.keys)) continue;
      const fresh = old.length === 0 ? added.keys : added.keys.filter((key) => !old.some((other) => other.equals(key)));
      for (const key of fresh) this.checkUnique(collection, index, key, recordId, next);
      changes.push({
        index,
        added: { ...added, keys: fresh },
        removed: old.filter((key) => !added.keys.some((other) => other.equals(key))),
      });
    }
    return changes;
  }

  private apply(collection: Collection, recordId: number, changes: readonly IndexChange[]): void {
    for (const { index, added, removed } of changes) {
      for (const key of removed) this.removeEntry(index, key, recordId);
      for (const key of added.keys) {
        if (index.unique) this.env.indexes.put(key, recordIdBytes(recordId));
        else this.env.indexes.put(Buffer.concat([key, recordIdBytes(recordId)]), NOTHING);
      }
      if (raiseFlags(index, added)) this.catalog.save(collection);
    }
  }

  private removeEntry(index: Index, key: Buffer, recordId: number): void {
    this.env.indexes.remove(index.unique ? key : Buffer.concat([key, recordIdBytes(recordId)]));
  }

  private checkUnique(collection: Collection, index: Index, key: Buffer, recordId: number, bytes: Buffer): void {
    if (!index.unique) return;
    const owner = this.owner(index, key);
    if (owner !== undefined && owner !== recordId) throw duplicateKey(collection, index, bytes);
  }
}

/** The changes of one write to one index. */
interface IndexChange {
  readonly index: Index;
  readonly added: IndexEntries;
  readonly removed: readonly Buffer[];
}

const holds = (index: Index, recordId: number): boolean => index.builtTo === null || recordId <= index.builtTo;

const sameKeys = (a: readonly Buffer[], b: readonly Buffer[]): boolean =>
  a.length === b.length && a.every((key, i) => key.equals(b[i] as Buffer));

/** Records multikey paths and truncated keys; true when something changed. */
function raiseFlags(index: Index, { arrays, shortened }: IndexEntries): boolean {
  let news = false;
  if (shortened && !index.shortened) news = index.shortened = true;
  arrays?.forEach((isArray, i) => {
    if (isArray && index.multikey[i] === false) news = index.multikey[i] = true;
  });
  return news;
}

function checkSize(bytes: Buffer): void {
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw new ServerError(
      'BSONObjectTooLarge',
      `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}`,
    );
}

const located: Located = { type: 0, at: 0 };

/** E11000 in the format that drivers expect: the index in the message, with keyPattern and keyValue. */
function duplicateKey(collection: Collection, index: Index, bytes: Buffer): ServerError {
  const pattern = index.spec.get('key') as Doc;
  const value: Doc = new Map<string, Value>();
  for (const field of index.fields) {
    const found = locate(bytes, field.raw, located);
    if (found === 'value') value.set(field.path, decodeValue(bytes, located.type, located.at));
    else value.set(field.path, found === 'array' ? arrayAt(bytes, field.path) : null);
  }
  const shown = [...value].map(([path, member]) => `${path}: ${show(member)}`).join(', ');
  return new ServerError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.db}.${collection.name} index: ${index.name} dup key: { ${shown} }`,
    { keyPattern: pattern, keyValue: value },
  );
}

function arrayAt(bytes: Buffer, path: string): Value {
  let value: Value = decode(bytes);
  for (const part of path.split('.')) {
    if (!(value instanceof Map)) break;
    value = value.get(part) ?? null;
  }
  return value;
}

function show(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (value instanceof Map) return `{ ${[...value].map(([name, member]) => `${name}: ${show(member)}`).join(', ')} }`;
  if (Array.isArray(value)) return `[ ${value.map(show).join(', ')} ]`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  return 'hex' in value ? `ObjectId('${value.hex}')` : 'value' in value ? String(value.value) : value.constructor.name;
}

/** The _id of a stored document: its first field, by construction. */
export function idOf(bytes: Buffer): Value {
  return decodeValue(bytes, bytes[4] as number, 4 + 1 + 3 + 1);
}
