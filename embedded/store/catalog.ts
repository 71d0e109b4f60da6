import { decode } from '../bson/decode';
import { encode } from '../bson/encode';
import { ServerError } from '../bson/error';
import type { Binary, Doc } from '../bson/value';
import { type Collection, randomUuid, readCollection, writeCollection } from './collection';
import type { TableName } from './damage';
import type { Environment } from './environment';
import { ID_INDEX, type Index, indexOf } from './index-spec';
import { checkNamespace } from './namespace';
import { collectionPrefix } from './record-key';
import type { KeyTable, Row } from './tables';

/** A key prefix whose rows are to be deleted in the background. */
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
 * Databases, collections and indexes: in memory, and persisted in the meta table.
 *
 * K1 Every change is written in the transaction of its command; `reload` after an abort restores memory.
 * K2 Ids are never reused, so the rows of a dropped collection can be deleted later (`garbage`).
 * K3 Counters are written with the batch that changes them (`flush`), so they are exact after a crash.
 */
export class Catalog {
  private databases = new Map<string, Map<string, Collection>>();
  private byId = new Map<number, Collection>();
  private changed = new Set<Collection>();
  private nextId = 1;

  constructor(private readonly env: Environment) {
    this.reload();
  }

  /** Reads everything from the last commit, discarding changes of an aborted transaction. */
  reload(): void {
    const nextId = this.env.meta.get(IDS_KEY)?.readUInt32BE(0) ?? 1;
    const collections = [...rows(this.env.meta, KIND.collection)].map(({ value }) => {
      const collection = readCollection(decode(value));
      const counters = this.env.meta.get(numbered(KIND.counters, collection.id));
      collection.count = counters?.readDoubleBE(0) ?? 0;
      collection.bytes = counters?.readDoubleBE(8) ?? 0;
      collection.nextRecord = counters?.readDoubleBE(16) ?? 1;
      return collection;
    });
    this.databases = new Map();
    this.byId = new Map();
    this.changed.clear();
    this.nextId = nextId;
    for (const collection of collections) this.link(collection);
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

  /** Describes the owner of a table's rows with this id, for messages. */
  describe(table: TableName, id: number | undefined): string {
    if (table === 'meta' || id === undefined) return 'the list of collections';
    const named = ({ db, name }: Collection): string => `collection ${db}.${name}`;
    if (table === 'documents') {
      const collection = this.byId.get(id);
      return collection === undefined ? 'a dropped collection' : named(collection);
    }
    for (const collection of this.byId.values()) {
      const index = collection.indexes.find((each) => each.id === id);
      if (index !== undefined) return `index ${index.name} of ${named(collection)}`;
    }
    return 'a dropped index';
  }

  /** @throws ServerError 73 for a bad name, 48 when it exists */
  create(db: string, name: string, options: Doc): Collection {
    checkNamespace(db, name);
    if (this.find(db, name) !== undefined)
      throw new ServerError('NamespaceExists', `Collection ${db}.${name} already exists.`);
    return this.add(db, name, options, randomUuid(), [ID_INDEX]);
  }

  private add(db: string, name: string, options: Doc, uuid: Binary, indexes: readonly Doc[]): Collection {
    const collection: Collection = {
      id: this.newId(),
      db,
      name,
      options,
      uuid,
      indexes: indexes.map((spec) => indexOf(this.newId(), spec)),
      nextRecord: 1,
      count: 0,
      bytes: 0,
      changing: 0,
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
    // Running reads detect by this that their index is gone.
    collection.indexes = [];
  }

  /** Empties a collection in constant time: it gets new ids, and the rows of the old ones become garbage (K2). */
  empty(collection: Collection): void {
    const { db, name, options, uuid } = collection;
    const specs = collection.indexes.map(({ spec }) => spec);
    this.drop(collection);
    this.add(db, name, options, uuid, specs);
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

  /** Marks changed counters; `flush` writes them once per transaction. */
  touch(collection: Collection): void {
    this.changed.add(collection);
  }

  /** Ends every write transaction. */
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

  /** Pending garbage, oldest first. */
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

const rows = (table: KeyTable, kind: number): Iterable<Row> =>
  table.rows({ start: Buffer.of(kind), end: Buffer.of(kind + 1) });
