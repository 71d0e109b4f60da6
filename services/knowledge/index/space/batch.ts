import type { NewLexicalDocument, NewRows, NewVectorDocument } from '../engine/calls';
import type { Space } from './space';

export type NewDocument = NewLexicalDocument | NewVectorDocument;

/** What somebody wants done to an index. */
export type Operation =
  | { readonly kind: 'put'; readonly documents: readonly NewDocument[] }
  | { readonly kind: 'remove'; readonly ids: readonly string[] };

/** Several operations as one: no document is in both lists. */
export interface Batch {
  readonly put: readonly NewDocument[];
  readonly removed: readonly string[];
}

/**
 * So many bytes become one segment. Vectors are copied as they are. Of text, each character may begin a term that no other
 * text has, and such a term takes 200 bytes of the thread's heap while the segment is made.
 */
const SEGMENT_BYTES = { lexical: 1024 * 1024, vectors: 48 * 1024 * 1024 } as const;
/** So many bytes are put at once; the rest waits for the next turn. */
export const BATCH_BYTES = 16 * 1024 * 1024;

/** Operations in their order as one change: of a document, the last counts; of two revisions, the higher. */
export function batchOf(operations: readonly Operation[]): Batch {
  const put = new Map<string, NewDocument>();
  const removed = new Set<string>();
  for (const operation of operations) {
    if (operation.kind === 'remove') {
      for (const id of operation.ids) {
        put.delete(id);
        removed.add(id);
      }
      continue;
    }
    for (const document of operation.documents) {
      const before = put.get(document.id);
      if (before !== undefined && before.revision > document.revision) continue;
      removed.delete(document.id);
      put.set(document.id, document);
    }
  }
  return { put: [...put.values()], removed: [...removed] };
}

/** What the segments of a batch are made of. A document that is too large for one is in several. */
export function segmentsOf(documents: readonly NewDocument[], { rows }: Space): NewRows[] {
  const segments: NewDocument[][] = [];
  const most = SEGMENT_BYTES[rows.kind];
  let bytes = Number.POSITIVE_INFINITY;
  for (const document of documents.flatMap((each) => piecesOf(each, most))) {
    const weight = weightOf(document);
    if (bytes + weight > most) {
      segments.push([]);
      bytes = 0;
    }
    bytes += weight;
    segments.at(-1)?.push(document);
  }
  return segments.map((each) =>
    rows.kind === 'lexical'
      ? { kind: 'lexical', documents: each.filter((document) => 'chunks' in document) }
      : { ...rows, documents: each.filter((document) => 'vectors' in document) },
  );
}

/** Bytes, about: of UTF-16 for texts. */
export const weightOf = (document: NewDocument): number =>
  'chunks' in document
    ? document.chunks.reduce((sum, { text }) => sum + 2 * text.length, 0)
    : document.vectors.byteLength;

function piecesOf(document: NewDocument, most: number): NewDocument[] {
  if (weightOf(document) <= most) return [document];
  if ('chunks' in document) {
    const half = document.chunks.length >>> 1;
    if (half === 0) return [document];
    const parts = [document.chunks.slice(0, half), document.chunks.slice(half)];
    return parts.flatMap((chunks) => piecesOf({ ...document, chunks }, most));
  }
  const half = document.ns.length >>> 1;
  if (half === 0) return [document];
  const floats = (half * document.vectors.length) / document.ns.length;
  return [
    { ...document, ns: document.ns.slice(0, half), vectors: document.vectors.subarray(0, floats) },
    { ...document, ns: document.ns.slice(half), vectors: document.vectors.subarray(floats) },
  ].flatMap((each) => piecesOf(each, most));
}
