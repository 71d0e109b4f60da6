import { randomBytes } from 'node:crypto';
import { decode, encode } from '../bson/codec';
import { ServerError } from '../bson/error';
import { Binary, type Doc, isDoc, type Value } from '../bson/value';
import type { Environment, Table } from './environment';
import { ID_INDEX, type Index, indexOf } from './index-spec';
import { collectionPrefix } from './record-key';

/** A collection as the engine uses it. */
export interface Collection {
  readonly id: number;
  db: string;
  name: string;
  /** As given to `create` and `collMod`, for listCollections. */
  options: Doc;
  readonly uuid: Binary;
  /** The first one is always the _id index. */
  indexes: Index[];
  /** The next record id. Ids grow, so record order is insertion order. */
  nextRecord: number;
  count: number;
  /** Sum of the documents' sizes in bytes. */
  bytes: number;
}

/** A key prefix whose rows are to be deleted when there is time. */
export interface Garbage {
  readonly key: Buffer;
  readonly table: 'documents' | 'indexes';
  readonly prefix: Buffer;
}

const KIND = { collection: 0x63, counters: 0x6e, garbage: 0x67, ids: 0x73 } as const;
const IDS_KEY = Buffer.of(KIND.ids);

const numbered = (kind: number, id: number): Buffer => {
  const key = Buffer.alloc(5);
  key[0] = kind;
  key.writeUInt32BE(id, 1);
  return key;
};

/**
 * Databases, collections and indexes: in memory for use, in the meta table for keeps.
 *
 * K1  Every change is written in the transaction of the command that makes it; `reload` after an abort puts memory back.
 * K2  Ids are never used twice, so the rows of a dropped collection can be deleted later (`garbage`) unseen.
 * K3  Counts are written with the batch that changes them (`flush`), so they are exact after any crash.
 */
export class Catalog {
  private databases = new Map<string, Map<string, Collection>>();
  private byId = new Map<number, Collection>();
  private changed = new Set<Collection>();
  private nextId = 1;

  constructor(private readonly env: Environment) {
    this.reload();
  }

  /** Reads everything from the last commit, dropping what an aborted transaction left in memory. */
  reload(): void {
    this.databases = new Map();
    this.byId = new Map();
    this.changed.clear();
    this.nextId = this.env.meta.get(IDS_KEY)?.readUInt32BE(0) ?? 1;
    for (const { value } of rows(this.env.meta, KIND.collection)) {
      const collection = readCollection(decode(value));
      const counters = this.env.meta.get(numbered(KIND.counters, collection.id));
      collection.count = counters?.readDoubleBE(0) ?? 0;
      collection.bytes = counters?.readDoubleBE(8) ?? 0;
      collection.nextRecord = counters?.readDoubleBE(16) ?? 1;
      this.link(collection);
    }
  }

  find(db: string, name: string): Collection | undefined {
    return this.databases.get(db)?.get(name);
  }

  get(id: number): Collection | undefined {
    return this.byId.get(id);
  }

  databaseNames(): string[] {
    return [...this.databases.keys()].sort();
  }

  collections(db: string): Collection[] {
    return [...(this.databases.get(db)?.values() ?? [])];
  }

  all(): Iterable<Collection> {
    return this.byId.values();
  }

  /** @throws ServerError 73 for a bad name, 48 when it exists */
  create(db: string, name: string, options: Doc): Collection {
    checkNamespace(db, name);
    if (this.find(db, name) !== undefined)
      throw new ServerError('NamespaceExists', `Collection ${db}.${name} already exists.`);
    const collection: Collection = {
      id: this.newId(),
      db,
      name,
      options,
      uuid: randomUuid(),
      indexes: [indexOf(this.newId(), ID_INDEX)],
      nextRecord: 1,
      count: 0,
      bytes: 0,
    };
    this.link(collection);
    this.save(collection);
    return collection;
  }

  drop(collection: Collection): void {
    this.unlink(collection);
    this.changed.delete(collection);
    this.env.meta.remove(numbered(KIND.collection, collection.id));
    this.env.meta.remove(numbered(KIND.counters, collection.id));
    this.discard('documents', collectionPrefix(collection.id));
    for (const index of collection.indexes) this.discard('indexes', collectionPrefix(index.id));
  }

  rename(collection: Collection, db: string, name: string): void {
    checkNamespace(db, name);
    this.unlink(collection);
    collection.db = db;
    collection.name = name;
    this.link(collection);
    this.save(collection);
  }

  addIndex(collection: Collection, spec: Doc): Index {
    const index = indexOf(this.newId(), spec);
    collection.indexes.push(index);
    return index;
  }

  dropIndex(collection: Collection, index: Index): void {
    collection.indexes = collection.indexes.filter((other) => other !== index);
    this.save(collection);
    this.discard('indexes', collectionPrefix(index.id));
  }

  /** Writes the collection's record: after any change but those of the counters. */
  save(collection: Collection): void {
    this.env.meta.put(numbered(KIND.collection, collection.id), encode(writeCollection(collection)));
    this.changed.add(collection);
  }

  /** Notes that counters changed; `flush` writes them once per transaction. */
  touch(collection: Collection): void {
    this.changed.add(collection);
  }

  /** The last act of every write transaction. */
  flush(): void {
    for (const { id, count, bytes, nextRecord } of this.changed) {
      const counters = Buffer.alloc(24);
      counters.writeDoubleBE(count, 0);
      counters.writeDoubleBE(bytes, 8);
      counters.writeDoubleBE(nextRecord, 16);
      this.env.meta.put(numbered(KIND.counters, id), counters);
    }
    this.changed.clear();
  }

  /** What is left to delete, oldest first. */
  garbage(): Garbage[] {
    return [...rows(this.env.meta, KIND.garbage)].map(({ key, value }) => ({
      key: Buffer.from(key),
      table: value.toString() as Garbage['table'],
      prefix: Buffer.from(key.subarray(1)),
    }));
  }

  forget(garbage: Garbage): void {
    this.env.meta.remove(garbage.key);
  }

  private discard(table: Garbage['table'], prefix: Buffer): void {
    this.env.meta.put(Buffer.concat([Buffer.of(KIND.garbage), prefix]), Buffer.from(table));
  }

  private newId(): number {
    const id = this.nextId++;
    const next = Buffer.alloc(4);
    next.writeUInt32BE(this.nextId);
    this.env.meta.put(IDS_KEY, next);
    return id;
  }

  private link(collection: Collection): void {
    let database = this.databases.get(collection.db);
    if (database === undefined) this.databases.set(collection.db, (database = new Map()));
    database.set(collection.name, collection);
    this.byId.set(collection.id, collection);
  }

  private unlink(collection: Collection): void {
    const database = this.databases.get(collection.db);
    database?.delete(collection.name);
    if (database?.size === 0) this.databases.delete(collection.db);
    this.byId.delete(collection.id);
  }
}

function* rows(table: Table, kind: number): Generator<{ key: Buffer; value: Buffer }> {
  yield* table.getRange({ start: Buffer.of(kind), end: Buffer.of(kind + 1) });
}

function writeCollection({ id, db, name, options, uuid, indexes }: Collection): Doc {
  return new Map<string, Value>([
    ['id', id],
    ['db', db],
    ['name', name],
    ['options', options],
    ['uuid', uuid],
    ['indexes', indexes.map(writeIndex)],
  ]);
}

const writeIndex = ({ id, spec, multikey, shortened, builtTo }: Index): Doc =>
  new Map<string, Value>([
    ['id', id],
    ['spec', spec],
    ['multikey', multikey],
    ['shortened', shortened],
    ['builtTo', builtTo === null ? null : BigInt(builtTo)],
  ]);

function readCollection(stored: Doc): Collection {
  return {
    id: stored.get('id') as number,
    db: stored.get('db') as string,
    name: stored.get('name') as string,
    options: stored.get('options') as Doc,
    uuid: stored.get('uuid') as Binary,
    indexes: (stored.get('indexes') as Doc[]).map(readIndex),
    nextRecord: 1,
    count: 0,
    bytes: 0,
  };
}

function readIndex(stored: Doc): Index {
  const index = indexOf(stored.get('id') as number, stored.get('spec') as Doc);
  const builtTo = stored.get('builtTo');
  index.multikey = stored.get('multikey') as boolean[];
  index.shortened = stored.get('shortened') as boolean;
  index.builtTo = typeof builtTo === 'bigint' ? Number(builtTo) : null;
  return index;
}

function randomUuid(): Binary {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return new Binary(bytes, 4);
}

const MAX_NAMESPACE_BYTES = 255;
const MAX_DATABASE_BYTES = 63;

/** @throws ServerError 73 (InvalidNamespace) for names that MongoDB refuses */
export function checkNamespace(db: string, name: string): void {
  const invalid = (why: string): ServerError =>
    new ServerError('InvalidNamespace', `Invalid namespace specified '${db}.${name}': ${why}`);
  if (db === '' || Buffer.byteLength(db) > MAX_DATABASE_BYTES || /[/\\. "$\0]/.test(db))
    throw invalid('bad database name');
  if (name === '' || name.startsWith('.') || /[$\0]/.test(name)) throw invalid('bad collection name');
  if (name.startsWith('system.')) throw invalid('system collections are not supported');
  if (Buffer.byteLength(name) + Buffer.byteLength(db) + 1 > MAX_NAMESPACE_BYTES) throw invalid('too long');
}

/** The storage of the value when it is a document, for option lookups. */
export const docOption = (options: Doc, name: string): Doc | undefined => {
  const value = options.get(name);
  return isDoc(value) ? value : undefined;
};
