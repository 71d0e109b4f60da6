import { decode, encode } from '../bson/codec';
import { ServerError } from '../bson/error';
import type { Doc } from '../bson/value';
import { type Collection, randomUuid, readCollection, writeCollection } from './collection';
import type { Environment } from './environment';
import { ID_INDEX, type Index, indexOf } from './index-spec';
import { checkNamespace } from './namespace';
import { collectionPrefix } from './record-key';
import type { KeyTable, Row } from './tables';

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

const rows = (table: KeyTable, kind: number): Iterable<Row> =>
  table.rows({ start: Buffer.of(kind), end: Buffer.of(kind + 1) });
