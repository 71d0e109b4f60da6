import type { Catalog } from './catalog';
import type { Collection } from './collection';
import { DamageError, textOf } from './damage';
import type { Environment, Tables } from './environment';
import { indexEntries } from './index-keys';
import type { Index } from './index-spec';
import { successor } from './key-encoding';
import { validateBson } from './raw-bson';
import { collectionPrefix, recordIdAtEnd, recordIdBytes } from './record-key';
import type { Reader } from './scan';
import type { Task } from './task';

/** Result of comparing documents with indexes. */
interface Verification {
  readonly records: number;
  /** Documents that cannot be read. */
  readonly invalid: number;
  /** Entries per index name. */
  readonly keys: ReadonlyMap<string, number>;
  readonly errors: readonly string[];
}

/** Maximum reported faults. */
const MAX_ERRORS = 100;

/**
 * Reads all documents, looks up each entry that every complete index must have, and counts the entries: equal counts
 * without misses mean that indexes and documents agree. Checksums are compared as well. Damage is reported, and the
 * walk continues after it where possible.
 */
export function* verifyCollection(
  { env, catalog }: { env: Environment; catalog: Catalog },
  collection: Collection,
  reader: Reader,
): Task<Verification> {
  const ready = collection.indexes.filter(({ builtTo }) => builtTo === null);
  // Counters of the snapshot; those of the collection change with concurrent writes.
  const { count, bytes } = collection;
  const check = new Check(env, catalog, ready, reader);
  const whole = yield* check.documents(collection);
  // If the snapshot was given up, sums prove nothing; looked-up entries still do.
  const isCountKnown = whole && reader.snapshot.moved !== true;
  for (const index of ready) yield* check.entries(index, isCountKnown);
  if (isCountKnown && reader.snapshot.moved !== true) {
    check.compare('documents', count, check.records);
    check.compare('bytes', bytes, check.bytes);
  }
  return check;
}

/** The sums of one walk. */
class Check implements Verification {
  readonly errors: string[] = [];
  readonly keys: Map<string, number>;
  records = 0;
  bytes = 0;
  invalid = 0;

  constructor(
    private readonly env: Environment,
    private readonly catalog: Catalog,
    private readonly indexes: readonly Index[],
    private readonly reader: Reader,
  ) {
    this.keys = new Map(indexes.map(({ name }) => [name, 0]));
  }

  /** False when some could not be read. */
  *documents({ id }: Collection): Task<boolean> {
    for (let last: number | undefined, more = true; more; ) {
      more = false;
      try {
        for (const { recordId, bytes } of this.tables.documents.rows(id, { last })) {
          last = recordId;
          this.document(recordId, bytes);
          more = this.reader.timeSlice.due();
          if (more) break;
        }
      } catch (error) {
        if (!(error instanceof DamageError)) throw error;
        this.damage(error);
        this.invalid++;
        if (error.recordId === undefined) return false;
        last = error.recordId;
        more = true;
      }
      if (more) yield;
    }
    return this.invalid === 0;
  }

  /** Reads every entry of an index. */
  *entries({ id, name }: Index, isCountKnown: boolean): Task<void> {
    const start = collectionPrefix(id);
    const range = { start, end: successor(start) };
    let found = 0;
    for (let last: Buffer | undefined, more = true; more; ) {
      more = false;
      try {
        for (const { key } of this.tables.indexes.rows(range, { last })) {
          last = key;
          found++;
          more = this.reader.timeSlice.due();
          if (more) break;
        }
      } catch (error) {
        if (!(error instanceof DamageError)) throw error;
        return this.damage(error);
      }
      if (more) yield;
    }
    const expected = this.keys.get(name);
    if (isCountKnown && this.reader.snapshot.moved !== true && found !== expected)
      this.error(`index ${name} has ${found} entries for ${expected}`);
  }

  compare(what: string, counted: number, found: number): void {
    if (found !== counted) this.error(`counter says ${counted} ${what}, there are ${found}`);
  }

  private get tables(): Tables {
    return this.env.at(this.reader.snapshot);
  }

  private document(recordId: number, bytes: Buffer): void {
    this.records++;
    this.bytes += bytes.length;
    try {
      validateBson(bytes);
      for (const index of this.indexes) this.entriesOf(index, recordId, bytes);
    } catch (error) {
      this.invalid++;
      this.damage(error, `record ${recordId}: `);
    }
  }

  private entriesOf(index: Index, recordId: number, bytes: Buffer): void {
    const { keys } = indexEntries(index, bytes);
    this.keys.set(index.name, (this.keys.get(index.name) ?? 0) + keys.length);
    for (const key of keys)
      if (!this.holds(index, key, recordId)) this.error(`index ${index.name} lacks an entry of record ${recordId}`);
  }

  private holds(index: Index, key: Buffer, recordId: number): boolean {
    const { indexes } = this.tables;
    if (!index.unique) return indexes.get(Buffer.concat([key, recordIdBytes(recordId)])) !== undefined;
    const owner = indexes.get(key);
    return owner !== undefined && recordIdAtEnd(owner) === recordId;
  }

  private damage(error: unknown, where = ''): void {
    const what = error instanceof DamageError ? `${this.catalog.describe(error.table, error.id)}: ` : '';
    this.error(`${where}${what}${textOf(error)}`);
  }

  private error(text: string): void {
    if (this.errors.length < MAX_ERRORS) this.errors.push(text);
  }
}
