import type { IndexHit } from '../index/contract';

/** What one ranker found, the best first, and how much its word counts beside that of the others. */
export interface RankedList {
  readonly weight: number;
  readonly hits: readonly IndexHit[];
}

/** Dampens the first ranks, so that two rankers who agree win over one who is sure (Cormack et al., 2009). */
const K = 60;

/**
 * How much each list counts. Vectors of a model count as much as words. Hashed vectors only see how words are written,
 * which the words themselves tell better: they break ties and forgive misspelling.
 */
export const WEIGHTS = {
  hybrid: { words: 1, vectors: 1 },
  lexical: { words: 1, vectors: 0.2 },
} as const;

/**
 * One list of several, by reciprocal-rank fusion: who stands at rank r (from 1) of a list gets its weight / (60 + r).
 * Scores are shares of what standing first in each list would give, so from 0 to 1. Hits that have the same score are
 * ordered by their ids: the same lists always give the same answer. Pure.
 */
export function fuse(lists: readonly RankedList[]): IndexHit[] {
  const best = lists.reduce((sum, { weight }) => sum + weight / (K + 1), 0);
  const fused = new Map<string, { hit: IndexHit; sum: number }>();
  for (const { weight, hits } of lists) {
    hits.forEach((hit, at) => {
      const key = keyOf(hit);
      const entry = fused.get(key) ?? { hit, sum: 0 };
      entry.sum += weight / (K + at + 1);
      fused.set(key, entry);
    });
  }
  return [...fused.values()].map(({ hit, sum }) => ({ ...hit, score: Math.min(1, sum / best) })).sort(byScore);
}

/** The best first; equal ones by their ids. */
export const byScore = (a: IndexHit, b: IndexHit): number =>
  b.score - a.score || compare(a.documentId, b.documentId) || a.revision - b.revision || a.n - b.n;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const keyOf = ({ documentId, revision, n }: IndexHit): string => `${n}:${revision}:${documentId}`;
