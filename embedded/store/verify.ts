import type { Collection } from './collection';
import type { Environment } from './environment';
import { indexEntries } from './index-keys';
import type { Index } from './index-spec';
import { successor } from './key-encoding';
import { collectionPrefix, recordIdAtEnd, recordIdBytes } from './record-key';
import { openScan, type Reader } from './scan';
import type { Task } from './task';

/** What a full comparison of documents and indexes found. */
export interface Verification {
  readonly records: number;
  /** Entries per index name. */
  readonly keys: ReadonlyMap<string, number>;
  readonly errors: string[];
}

/**
 * Walks all documents, looks up each entry that every complete index must have, and counts the entries that there are:
 * equal numbers and no miss mean that indexes and documents agree.
 */
export function* verifyCollection(
  { env }: { env: Environment },
  collection: Collection,
  reader: Reader,
): Task<Verification> {
  const ready = collection.indexes.filter(({ builtTo }) => builtTo === null);
  const check = new Check(env, ready, reader);
  const plan = { kind: 'collection', reverse: false, sorted: true, exact: true } as const;
  yield* openScan(env, collection, plan, undefined).run(reader, (recordId, bytes) => check.document(recordId, bytes));
  // Over a state that moved on the way sums prove nothing; each entry looked up still does.
  if (reader.snapshot.moved === true) return { records: check.records, keys: check.expected, errors: check.errors };
  for (const index of ready) check.total(index);
  if (check.records !== collection.count)
    check.errors.push(`counter says ${collection.count} documents, there are ${check.records}`);
  if (check.bytes !== collection.bytes)
    check.errors.push(`counter says ${collection.bytes} bytes, there are ${check.bytes}`);
  return { records: check.records, keys: check.expected, errors: check.errors };
}

/** The sums of one walk. */
class Check {
  readonly errors: string[] = [];
  readonly expected: Map<string, number>;
  records = 0;
  bytes = 0;

  constructor(
    private readonly env: Environment,
    private readonly indexes: readonly Index[],
    private readonly reader: Reader,
  ) {
    this.expected = new Map(indexes.map(({ name }) => [name, 0]));
  }

  document(recordId: number, bytes: Buffer): true {
    this.records++;
    this.bytes += bytes.length;
    for (const index of this.indexes) {
      const { keys } = indexEntries(index, bytes);
      this.expected.set(index.name, (this.expected.get(index.name) ?? 0) + keys.length);
      for (const key of keys)
        if (!this.holds(index, key, recordId))
          this.errors.push(`index ${index.name} lacks an entry of record ${recordId}`);
    }
    return true;
  }

  total({ id, name }: Index): void {
    const start = collectionPrefix(id);
    const found = this.env.at(this.reader.snapshot).indexes.count({ start, end: successor(start) });
    if (found !== this.expected.get(name))
      this.errors.push(`index ${name} has ${found} entries for ${this.expected.get(name)}`);
  }

  private holds(index: Index, key: Buffer, recordId: number): boolean {
    const { indexes } = this.env.at(this.reader.snapshot);
    if (!index.unique) return indexes.get(Buffer.concat([key, recordIdBytes(recordId)])) !== undefined;
    const owner = indexes.get(key);
    return owner !== undefined && recordIdAtEnd(owner) === recordId;
  }
}
