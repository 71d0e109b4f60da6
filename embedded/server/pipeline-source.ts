import { PAUSE } from '../aggregate/stage';
import { decode } from '../bson/decode';
import type { Doc } from '../bson/value';
import type { Collection } from '../store/collection';
import { first } from '../store/first';
import { type Prepared, scanOf } from '../store/query';
import { MEMORY_LIMIT, overMemory } from '../store/result-stream';
import type { Reader } from '../store/scan';
import type { Store } from '../store/store';

/** The reader of the operation that currently drains the pipeline: each batch of a cursor is another operation. */
export interface CurrentReader {
  reader: Reader;
}

/** Documents read before a scan releases its cursor, as the consumer may pause at any point. */
const CHUNK = 64;

interface SourceOptions {
  readonly max: number;
  /** True when a stage holds all documents, so their bytes are limited. */
  readonly held: boolean;
}

/** The documents of a plan for a pipeline, with a PAUSE wherever the scan's time slice is over. */
export function* sourceOf(
  store: Store,
  collection: Collection,
  prepared: Prepared,
  current: CurrentReader,
  { max, held }: SourceOptions,
): Generator<Doc> {
  const scan = scanOf(store, collection, prepared);
  let left = max;
  let bytes = 0;
  while (!scan.done && left > 0) {
    const chunk: Buffer[] = [];
    const size = Math.min(CHUNK, left);
    const task = scan.run(current.reader, (_recordId, raw) => chunk.push(raw) < size);
    while (task.next().done !== true) yield PAUSE;
    for (const raw of chunk) {
      bytes += raw.length;
      if (held && bytes > MEMORY_LIMIT) throw overMemory();
      yield decode(raw);
    }
    left -= chunk.length;
    if (current.reader.timeSlice.due()) yield PAUSE;
  }
}

/** All documents of a joined collection; the stage holds them, so their bytes are limited. */
export function* documentsOf(store: Store, db: string, name: string, current: CurrentReader): Generator<Doc> {
  const collection = store.catalog.find(db, name);
  if (collection === undefined) return;
  if (collection.bytes > MEMORY_LIMIT) throw overMemory();
  let last: number | undefined;
  for (let more = true; more; ) {
    const { documents } = store.env.at(current.reader.snapshot);
    const rows = first(CHUNK, documents.rows(collection.id, { last }));
    for (const { recordId, bytes } of rows) {
      last = recordId;
      yield decode(bytes);
    }
    more = rows.length === CHUNK;
  }
}
