import { type DocumentEntry, DocumentTable } from '../segment/documents';
import { LexicalWriter } from '../segment/lexical';
import { packVectors } from '../segment/vectors';
import type { Arena } from './arena';
import type { BuiltSegment, RowsKind } from './calls';
import type { Part } from './parts';
import type { Slices } from './slices';

/** Where a row is after the merge that does not survive it. */
const GONE = 0xffffffff;

/** What is alive in some segments as one; null when nothing is. Rows keep their order, segment by segment. */
export async function merge(
  parts: readonly Part[],
  kind: RowsKind,
  arena: Arena,
  slices: Slices,
): Promise<BuiltSegment | null> {
  const places = placesOf(parts);
  const rows = parts.reduce((sum, { living }) => sum + sizeOf(living.ranges), 0);
  const entries = parts.flatMap((part, n) => entriesOf(part, places[n] as Uint32Array));
  if (entries.length === 0) return null;
  const data =
    kind.kind === 'lexical'
      ? await mergeWords(parts, places, rows, slices)
      : await mergeVectors(parts, rows, kind.dimension, arena, slices);
  return { table: DocumentTable.pack(entries), data, documents: entries.length, rows };
}

const sizeOf = (ranges: readonly { from: number; to: number }[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from, 0);

/** For each segment, where each of its rows is going to be. */
function placesOf(parts: readonly Part[]): Uint32Array[] {
  let next = 0;
  return parts.map(({ segment, living }) => {
    const places = new Uint32Array(segment.rows).fill(GONE);
    for (const { from, to } of living.ranges) for (let row = from; row < to; row++) places[row] = next++;
    return places;
  });
}

function entriesOf({ segment: { table }, living }: Part, places: Uint32Array): DocumentEntry[] {
  const entries: DocumentEntry[] = [];
  for (let at = 0; at < table.size; at++) {
    if (living.dead.has(at)) continue;
    const entry = table.entry(at);
    // One without rows is nowhere in particular.
    entries.push({ ...entry, start: entry.count === 0 ? 0 : (places[entry.start] as number) });
  }
  return entries;
}

async function mergeWords(
  parts: readonly Part[],
  places: readonly Uint32Array[],
  rows: number,
  slices: Slices,
): Promise<Uint8Array<ArrayBuffer>> {
  const ns = new Uint32Array(rows);
  const lengths = new Uint32Array(rows);
  for (const [n, { segment, living }] of parts.entries()) {
    for (const { from, to } of living.ranges) {
      const place = (places[n] as Uint32Array)[from] as number;
      for (let row = from; row < to; row++) ns[place + row - from] = segment.n(row);
      lengths.set(segment.words.lengths.subarray(from, to), place);
    }
  }
  const writer = new LexicalWriter();
  const cursors = parts.map(({ segment }) => ({ words: segment.words, place: 0, term: termAt(segment.words, 0) }));
  for (let term = least(cursors); term !== null; term = least(cursors)) {
    for (const [n, cursor] of cursors.entries()) {
      if (cursor.term !== term) continue;
      const to = places[n] as Uint32Array;
      for (const posting = cursor.words.postings(cursor.place); posting.next(); ) {
        const row = to[posting.row] as number;
        if (row !== GONE) writer.add(row, posting.count);
      }
      cursor.place += 1;
      cursor.term = termAt(cursor.words, cursor.place);
    }
    writer.end(term);
    if (slices.due) await slices.pause();
  }
  return writer.done(ns, lengths);
}

const termAt = (words: { readonly terms: number; term(place: number): string }, place: number): string | null =>
  place < words.terms ? words.term(place) : null;

const least = (cursors: readonly { readonly term: string | null }[]): string | null =>
  cursors.reduce<string | null>(
    (first, { term }) => (term !== null && (first === null || term < first) ? term : first),
    null,
  );

async function mergeVectors(
  parts: readonly Part[],
  rows: number,
  dimension: number,
  arena: Arena,
  slices: Slices,
): Promise<Uint8Array<ArrayBuffer>> {
  const ns = new Uint32Array(rows);
  const vectors = new Float32Array(rows * dimension);
  let next = 0;
  for (const { segment, living } of parts) {
    for (const { from, to } of living.ranges) {
      for (let row = from; row < to; row++, next++) {
        ns[next] = segment.n(row);
        arena.copy(segment.vectors, row, vectors, next * dimension);
        if (slices.due) await slices.pause();
      }
    }
  }
  return packVectors({ ns, vectors });
}
