import { termsOf } from '../analysis/analyze';
import { unit } from '../analysis/hashed';
import { DocumentTable } from '../segment/documents';
import { LexicalWriter } from '../segment/lexical';
import { packVectors } from '../segment/vectors';
import type { BuiltSegment, NewLexicalDocument, NewRows, NewVectorDocument } from './calls';
import type { Slices } from './slices';

/** Makes a segment of documents, their rows in the order in which they come. */
export const build = (rows: NewRows, slices: Slices): Promise<BuiltSegment> =>
  rows.kind === 'lexical' ? buildLexical(rows.documents, slices) : buildVectors(rows.documents, rows.dimension, slices);

async function buildLexical(documents: readonly NewLexicalDocument[], slices: Slices): Promise<BuiltSegment> {
  /** Rows and counts, in turns. */
  const postings = new Map<string, number[]>();
  const ns: number[] = [];
  const lengths: number[] = [];
  for (const { chunks } of documents) {
    for (const { n, text } of chunks) {
      const terms = termsOf(text);
      for (const [term, count] of countsOf(terms)) {
        const list = postings.get(term);
        if (list === undefined) postings.set(term, [ns.length, count]);
        else list.push(ns.length, count);
      }
      ns.push(n);
      lengths.push(terms.length);
      if (slices.over) await slices.pause();
    }
  }
  const writer = new LexicalWriter();
  for (const term of [...postings.keys()].sort()) {
    const list = postings.get(term) as number[];
    for (let at = 0; at < list.length; at += 2) writer.add(list[at] as number, list[at + 1] as number);
    writer.end(term);
    if (slices.due) await slices.pause();
  }
  return {
    table: tableOf(documents.map(({ id, revision, chunks }) => ({ id, revision, count: chunks.length }))),
    data: writer.done(Uint32Array.from(ns), Uint32Array.from(lengths)),
    documents: documents.length,
    rows: ns.length,
  };
}

async function buildVectors(
  documents: readonly NewVectorDocument[],
  dimension: number,
  slices: Slices,
): Promise<BuiltSegment> {
  const ns = Uint32Array.from(documents.flatMap((document) => document.ns));
  const vectors = new Float32Array(ns.length * dimension);
  let at = 0;
  for (const document of documents) {
    for (let from = 0; from < document.vectors.length; from += dimension, at += dimension) {
      vectors.set(unit(document.vectors.subarray(from, from + dimension)), at);
      if (slices.due) await slices.pause();
    }
  }
  return {
    table: tableOf(documents.map(({ id, revision, ns: { length } }) => ({ id, revision, count: length }))),
    data: packVectors({ ns, vectors }),
    documents: documents.length,
    rows: ns.length,
  };
}

/** Documents whose rows follow each other. */
function tableOf(documents: readonly { id: string; revision: number; count: number }[]): Uint8Array<ArrayBuffer> {
  let start = 0;
  return DocumentTable.pack(
    documents.map((document) => {
      const entry = { ...document, start };
      start += document.count;
      return entry;
    }),
  );
}

function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
