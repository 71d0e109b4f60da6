import type { IndexHit } from './contract';

/** The result of a ranker, best first, and its weight. */
export interface RankedList {
  readonly weight: number;
  readonly hits: readonly IndexHit[];
}

/** Dampens the first ranks, so that two agreeing rankers win over a single one (Cormack et al., 2009). */
const K = 60;

/**
 * Weights of the lists. Model vectors count as much as words. Hashed vectors only reflect spelling, which words cover
 * better: they break ties and tolerate misspelling.
 */
export const WEIGHTS = {
  hybrid: { words: 1, vectors: 1 },
  lexical: { words: 1, vectors: 0.2 },
} as const;

/**
 * Merges ranked lists by reciprocal-rank fusion: rank r (from 1) in a list adds its weight / (60 + r). Scores are
 * normalized from 0 to 1, where 1 is the first rank in every list. Equal scores are ordered by id, so the result is
 * deterministic. Pure.
 */
export function fuse(lists: readonly RankedList[]): IndexHit[] {
  const best = bestSum(lists);
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

/** The place of a hit in one of the lists that were fused. */
interface ListRank {
  /** From 1. */
  readonly rank: number;
  /** Of the ranker. */
  readonly score: number;
  /** Its part of the fused score. */
  readonly adds: number;
}

/** Where a hit is in a list; null if it is not in it. `lists`: all that were fused, this one among them. Pure. */
export function rankIn(list: RankedList, lists: readonly RankedList[], hit: IndexHit): ListRank | null {
  const at = list.hits.findIndex((each) => keyOf(each) === keyOf(hit));
  const found = list.hits[at];
  if (found === undefined) return null;
  return { rank: at + 1, score: found.score, adds: list.weight / (K + at + 1) / bestSum(lists) };
}

/** The sum of a hit that is first in every list. */
const bestSum = (lists: readonly RankedList[]): number => lists.reduce((sum, { weight }) => sum + weight / (K + 1), 0);

/** Best first; equal scores by id. */
export const byScore = (a: IndexHit, b: IndexHit): number =>
  b.score - a.score || compare(a.documentId, b.documentId) || a.revision - b.revision || a.n - b.n;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const keyOf = ({ documentId, revision, n }: IndexHit): string => `${n}:${revision}:${documentId}`;
