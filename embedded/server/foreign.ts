import { decode } from '../bson/codec';
import type { Doc } from '../bson/value';
import type { Snapshot } from '../store/environment';
import { successor } from '../store/key-encoding';
import { collectionPrefix } from '../store/record-key';
import type { Store } from '../store/store';

const CHUNK = 500;

/**
 * All documents of a collection for a stage that reads another one. They are read in chunks by key and no LMDB cursor
 * stays open, because a consumer may pause between two documents for as long as it likes.
 */
export function* documentsOf(store: Store, db: string, name: string, snapshot: Snapshot): Generator<Doc> {
  const collection = store.catalog.find(db, name);
  if (collection === undefined) return;
  const prefix = collectionPrefix(collection.id);
  const end = successor(prefix);
  let start = prefix;
  for (;;) {
    const rows = [
      ...store.env.documents.getRange({ start, end, exclusiveStart: start !== prefix, limit: CHUNK, ...snapshot }),
    ];
    for (const { key, value } of rows) {
      start = key;
      yield decode(value);
    }
    if (rows.length < CHUNK) return;
  }
}
