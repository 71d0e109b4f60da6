import { decode } from '../bson/decode';
import { indexKeys, splitPath } from '../bson/path';
import type { Doc } from '../bson/value';
import type { Index } from './index-spec';
import { KeyWriter } from './key-encoding';
import { meetsAll, type Tested } from './partial-filter';
import { type Located, locate } from './raw-bson';

/** The index entries of one document. */
export interface IndexEntries {
  /** Keys with the index id in front and without the record id. Empty when the document is not indexed. */
  readonly keys: readonly Buffer[];
  /** Fields that contained an array; undefined for none. */
  readonly arrays?: readonly boolean[];
  /** True when a field was too long and is stored as prefix and hash. */
  readonly shortened: boolean;
}

const NONE: IndexEntries = { keys: [], shortened: false };
const writer = new KeyWriter();
const located: Located = { type: 0, at: 0 };

/**
 * The index keys of a stored document. Documents without arrays on the indexed paths, which is most of them, are read
 * in place; the others are decoded and expanded element by element.
 * @param tested the results of partial filters for this document so far
 * @throws ServerError 171 when two different arrays would have to be multiplied
 */
export function indexEntries(index: Index, bytes: Uint8Array, tested: Tested = new Map()): IndexEntries {
  if (index.partial !== undefined && !meetsAll(index.partial.conditions, bytes, tested)) return NONE;
  writer.reset().uint32(index.id);
  let present = 0;
  for (const field of index.fields) {
    const start = writer.length;
    const found = locate(bytes, field.raw, located);
    if (found === 'array') return expanded(index, decode(bytes));
    if (found === 'value') {
      present++;
      writer.raw(bytes, located.type, located.at);
    } else writer.value(null);
    writer.endField(start, index.fieldLimit, field.descending);
  }
  if (index.sparse && present === 0) return NONE;
  return { keys: [writer.take()], shortened: writer.shortened };
}

function expanded(index: Index, document: Doc): IndexEntries {
  const { keys: rows, multikey } = indexKeys(
    document,
    index.fields.map((field) => splitPath(field.path)),
  );
  const keys = new Map<string, Buffer>();
  writer.reset();
  for (const row of rows) {
    if (index.sparse && row.every((value) => value === undefined)) continue;
    writer.length = 0;
    writer.uint32(index.id);
    row.forEach((value, i) => {
      const start = writer.length;
      writer.value(value ?? null);
      writer.endField(start, index.fieldLimit, index.fields[i]?.descending === true);
    });
    const key = writer.take();
    // Equal elements give equal keys, which an index holds once.
    keys.set(key.toString('latin1'), key);
  }
  return { keys: [...keys.values()], arrays: multikey, shortened: writer.shortened };
}
