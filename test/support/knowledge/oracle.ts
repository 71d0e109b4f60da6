import { termsOf } from '../../../services/knowledge/index/analysis/analyze';
import type { IndexHit } from '../../../services/knowledge/index/contract';

/** A document as it is put, with a vector for each chunk. */
export interface Known {
  readonly id: string;
  readonly revision: number;
  readonly texts: readonly string[];
  readonly vectors: readonly Float32Array[];
}

/** What is alive in an index, looked at one by one: slow, and plain enough to be believed. */
export class Oracle {
  readonly documents = new Map<string, Known>();

  put(document: Known): void {
    const before = this.documents.get(document.id);
    if (before === undefined || before.revision <= document.revision) this.documents.set(document.id, document);
  }

  /** BM25 with k1 = 1.2 and b = 0.75 over all chunks. */
  rank(query: string, only: ReadonlySet<string> | null = null): IndexHit[] {
    const chunks = [...this.documents.values()].flatMap(({ id, revision, texts }) =>
      texts.map((text, n) => ({ documentId: id, revision, n, terms: termsOf(text) })),
    );
    // Where no chunk has a word, none has a score, whatever the average.
    const average = chunks.reduce((sum, { terms }) => sum + terms.length, 0) / Math.max(1, chunks.length) || 1;
    const scored = chunks.map(({ terms, ...place }) => {
      let score = 0;
      for (const term of new Set(termsOf(query))) {
        const frequency = chunks.filter((chunk) => chunk.terms.includes(term)).length;
        const count = terms.filter((each) => each === term).length;
        const rarity = Math.log(1 + (chunks.length - frequency + 0.5) / (frequency + 0.5));
        score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * terms.length) / average));
      }
      return { ...place, score };
    });
    return sorted(
      scored.filter(({ score }) => score > 0 || Number.isNaN(score)),
      only,
    );
  }

  /** Cosine over all chunks. */
  nearest(query: Float32Array, only: ReadonlySet<string> | null = null): IndexHit[] {
    const scored = [...this.documents.values()].flatMap(({ id, revision, vectors }) =>
      vectors.map((vector, n) => ({ documentId: id, revision, n, score: cosine(query, vector) })),
    );
    return sorted(scored, only);
  }
}

const sorted = (hits: IndexHit[], only: ReadonlySet<string> | null): IndexHit[] =>
  hits.filter(({ documentId }) => only === null || only.has(documentId)).sort((a, b) => b.score - a.score);

function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array): number =>
    x.reduce((sum, value, n) => sum + value * (y[n] as number), 0);
  const lengths = Math.sqrt(product(a, a) * product(b, b));
  return lengths === 0 ? 0 : product(a, b) / lengths;
}

/**
 * That an answer is the best of what the oracle found. Of hits with the same score any may be left out, so scores are
 * compared in order, and each hit with its own.
 */
export function expectBest(found: readonly IndexHit[], truth: readonly IndexHit[], limit: number, digits = 4): void {
  expect(found.map(({ score }) => score)).toEqual(
    truth.slice(0, limit).map(({ score }) => expect.closeTo(score, digits)),
  );
  const scores = new Map(truth.map((hit) => [placeOf(hit), hit.score]));
  expect(new Set(found.map(placeOf)).size).toBe(found.length);
  for (const hit of found) expect(scores.get(placeOf(hit))).toBeCloseTo(hit.score, digits);
}

const placeOf = ({ documentId, revision, n }: IndexHit): string => `${documentId}:${revision}:${n}`;
