import type { Collection } from './catalog';
import type { Environment } from './environment';
import { indexEntries } from './index-keys';
import { successor } from './key-encoding';
import { collectionPrefix, recordIdAtEnd, recordIdBytes } from './record-key';
import type { Reader } from './scan';
import type { Task } from './task';

/** What a full comparison of documents and indexes found. */
export interface Verification {
  readonly records: number;
  /** Entries per index name. */
  readonly keys: ReadonlyMap<string, number>;
  readonly errors: string[];
}

const rowsUnder = (id: number): { start: Buffer; end: Buffer } => {
  const start = collectionPrefix(id);
  return { start, end: successor(start) };
};

/**
 * Walks all documents, looks up each entry that every complete index must have, and counts the entries that there are:
 * equal numbers and no miss mean that indexes and documents agree.
 */
export function* verifyCollection(
  { env }: { env: Environment },
  collection: Collection,
  reader: Reader,
): Task<Verification> {
  const errors: string[] = [];
  const expected = new Map(collection.indexes.map((index) => [index.name, 0]));
  let records = 0;
  let bytes = 0;
  let last: Buffer | undefined;
  const all = rowsUnder(collection.id);
  for (let more = true; more; ) {
    more = false;
    const start = last ?? all.start;
    for (const { key, value } of env.documents.getRange({
      start,
      end: all.end,
      exclusiveStart: last !== undefined,
      ...reader.snapshot,
    })) {
      last = key;
      records++;
      bytes += value.length;
      for (const index of collection.indexes) {
        if (index.builtTo !== null) continue;
        for (const entry of indexEntries(index, value).keys) {
          expected.set(index.name, (expected.get(index.name) ?? 0) + 1);
          const recordId = recordIdAtEnd(key);
          const stored = index.unique
            ? env.indexes.get(entry, reader.snapshot)
            : env.indexes.get(Buffer.concat([entry, recordIdBytes(recordId)]), reader.snapshot);
          if (stored === undefined || (index.unique && recordIdAtEnd(stored) !== recordId))
            errors.push(`index ${index.name} lacks an entry for record ${recordId}`);
        }
      }
      more = reader.pace.due();
      if (more) break;
    }
    if (more) yield;
  }
  for (const index of collection.indexes) {
    if (index.builtTo !== null) continue;
    const found = env.indexes.getKeysCount({ ...rowsUnder(index.id), ...reader.snapshot });
    if (found !== expected.get(index.name))
      errors.push(`index ${index.name} has ${found} entries for ${expected.get(index.name)}`);
  }
  if (records !== collection.count) errors.push(`counter says ${collection.count} documents, there are ${records}`);
  if (bytes !== collection.bytes) errors.push(`counter says ${collection.bytes} bytes, there are ${bytes}`);
  return { records, keys: expected, errors };
}
