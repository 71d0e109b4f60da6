import { LRUCache } from 'lru-cache';
import type { IndexHit, VectorRows } from './contract';
import { byScore } from './fusion';
import { unit } from './hashed-vectors';
import type { IndexFile, RowStore } from './index-file';

export const VECTORS: RowStore<VectorRows> = {
  tables: `
    CREATE TABLE vectors(id INTEGER PRIMARY KEY, document INTEGER NOT NULL, ns BLOB NOT NULL, vectors BLOB NOT NULL);
    CREATE INDEX vectors_document ON vectors(document);`,
  insert(file, id, { chunkNumbers, vectors }) {
    if (chunkNumbers.length === 0) return;
    const dimension = vectors.length / chunkNumbers.length;
    const units = new Float32Array(vectors.length);
    for (let at = 0; at < vectors.length; at += dimension) units.set(unit(vectors.subarray(at, at + dimension)), at);
    const insert = file.sql('INSERT INTO vectors(document, ns, vectors) VALUES (?, ?, ?)');
    insert.run(id, bytesOf(Uint32Array.from(chunkNumbers)), bytesOf(units));
  },
  remove(file, which, ...values) {
    file.sql(`DELETE FROM vectors WHERE ${which}`).run(...values);
  },
};

const bytesOf = (array: Uint32Array | Float32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Unit vectors of a document, and the numbers of their chunks. */
interface Segment {
  /** Value of `documents.id`. */
  readonly owner: number;
  readonly document: string;
  readonly revision: number;
  readonly ns: Uint32Array;
  readonly vectors: Float32Array;
}

/** Cached content of a file. `changes`: the file's counter when it was read. */
interface Cached {
  readonly changes: number;
  readonly bytes: number;
  /** By owner. */
  readonly segments: Map<number, Segment[]>;
}

let cache: LRUCache<string, Cached> | null = null;

/** Frees a file's memory. */
export const forgetVectors = (path: string): void => void cache?.delete(path);

/**
 * The chunks with the highest cosine, by comparing every vector. Files of up to `memoryBytes` in total are cached; a
 * larger one is read for each query. `documents`: ids as JSON, or null for all.
 */
export function searchVectors(
  path: string,
  file: IndexFile,
  query: Float32Array,
  { limit, documents, memoryBytes }: { limit: number; documents: string | null; memoryBytes: number },
): IndexHit[] {
  if (limit < 1) return [];
  const only = documents === null ? null : new Set(JSON.parse(documents) as string[]);
  const wanted = unit(query);
  const best = new Best(limit);
  for (const segment of segmentsOf(path, file, memoryBytes)) {
    if (only === null || only.has(segment.document)) compare(segment, wanted, best);
  }
  return best.hits();
}

function compare({ ns, vectors, document: documentId, revision }: Segment, query: Float32Array, best: Best): void {
  const { length } = query;
  if (vectors.length !== ns.length * length) throw new Error('The vectors of the index have another length');
  for (let row = 0, from = 0; row < ns.length; row++, from += length) {
    const score = product(vectors, from, query);
    if (score > best.threshold) best.add({ documentId, revision, n: ns[row] as number, score });
  }
}

/** Four independent sums, for instruction-level parallelism. */
function product(vectors: Float32Array, from: number, query: Float32Array): number {
  const even = query.length & ~3;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0, row = from; at < even; at += 4, row += 4) {
    a += (vectors[row] as number) * (query[at] as number);
    b += (vectors[row + 1] as number) * (query[at + 1] as number);
    c += (vectors[row + 2] as number) * (query[at + 2] as number);
    d += (vectors[row + 3] as number) * (query[at + 3] as number);
  }
  for (let at = even; at < query.length; at++) a += (vectors[from + at] as number) * (query[at] as number);
  return a + b + (c + d);
}

/** The best hits; sorted and trimmed whenever the list has doubled. */
class Best {
  threshold = Number.NEGATIVE_INFINITY;
  #hits: IndexHit[] = [];

  constructor(private readonly limit: number) {}

  add(hit: IndexHit): void {
    this.#hits.push(hit);
    if (this.#hits.length >= 2 * this.limit) this.#cut();
  }

  hits(): IndexHit[] {
    this.#cut();
    return this.#hits;
  }

  #cut(): void {
    this.#hits = this.#hits.sort(byScore).slice(0, this.limit);
    if (this.#hits.length === this.limit) this.threshold = this.#hits.at(-1)?.score ?? this.threshold;
  }
}

/** From memory if the file fits. */
function* segmentsOf(path: string, file: IndexFile, memoryBytes: number): IterableIterator<Segment> {
  const { changes } = file.row<{ changes: number }>('SELECT total_changes() AS changes') as { changes: number };
  cache ??= new LRUCache({ maxSize: memoryBytes, sizeCalculation: ({ bytes }) => Math.max(1, bytes) });
  let cached = cache.get(path);
  if (cached?.changes !== changes) {
    const size = 'SELECT total(length(vectors)) AS bytes FROM vectors';
    const { bytes } = file.row<{ bytes: number }>(size) as { bytes: number };
    cache.delete(path);
    if (bytes > memoryBytes) return yield* read(file);
    const segments = cached?.segments ?? new Map<number, Segment[]>();
    refresh(file, segments);
    cached = { changes, bytes, segments };
    cache.set(path, cached);
  }
  for (const segments of cached.segments.values()) yield* segments;
}

/** Reads added vectors and drops removed ones. */
function refresh(file: IndexFile, segments: Map<number, Segment[]>): void {
  const owners = new Set(file.rows<{ id: number }>('SELECT id FROM documents').map(({ id }) => id));
  for (const owner of segments.keys()) if (!owners.has(owner)) segments.delete(owner);
  const missing = segments.size === 0 ? null : JSON.stringify([...owners].filter((id) => !segments.has(id)));
  for (const owner of owners) if (!segments.has(owner)) segments.set(owner, []);
  for (const segment of read(file, missing)) segments.get(segment.owner)?.push(segment);
}

interface StoredRow {
  readonly owner: number;
  readonly document: string;
  readonly revision: number;
  readonly ns: Uint8Array;
  readonly vectors: Uint8Array;
}

/** All visible vectors, or those of some owners (as JSON). */
function* read(file: IndexFile, owners: string | null = null): IterableIterator<Segment> {
  const all = `SELECT d.id AS owner, d.document, d.revision, v.ns, v.vectors
               FROM vectors v JOIN documents d ON d.id = v.document`;
  const rows =
    owners === null
      ? file.db.prepare(all).iterate()
      : file.db.prepare(`${all} WHERE v.document IN (SELECT value FROM json_each(?))`).iterate(owners);
  for (const row of rows as IterableIterator<unknown> as IterableIterator<StoredRow>)
    yield { ...row, ns: new Uint32Array(aligned(row.ns)), vectors: new Float32Array(aligned(row.vectors)) };
}

/** Offsets are multiples of four. */
const aligned = ({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer =>
  byteOffset === 0 && byteLength === buffer.byteLength
    ? (buffer as ArrayBuffer)
    : (buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
