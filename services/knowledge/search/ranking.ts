import type { HitRanking } from '../../../contracts/knowledge/views';
import type { IndexHit } from '../../../lib/search/contract';
import { rankIn, type RankedList } from '../../../lib/search/fusion';

/** The steps of a search. */
interface SearchSteps<H extends IndexHit> {
  /** By words and, unless that search failed, by vectors. */
  readonly lists: readonly RankedList[];
  /** In the fused order, with the fused scores. */
  readonly visible: readonly H[];
  /** In the final order. */
  readonly hits: readonly H[];
  readonly isReranked: boolean;
}

/** Why a hit is where it is. Pure. */
export function rankingOf<H extends IndexHit>(
  hit: H,
  { lists, visible, hits, isReranked }: SearchSteps<H>,
): HitRanking {
  const [words, vectors] = lists.map((list) => rankIn(list, lists, hit));
  return {
    words: rounded(words ?? null),
    vectors: rounded(vectors ?? null),
    fused: placeOf(hit, visible),
    reranked: isReranked ? placeOf(hit, hits) : null,
  };
}

function placeOf<H extends IndexHit>(hit: H, ordered: readonly H[]): { rank: number; score: number } {
  const at = ordered.findIndex(
    ({ documentId, revision, n }) => documentId === hit.documentId && revision === hit.revision && n === hit.n,
  );
  return { rank: at + 1, score: round(ordered[at]?.score ?? 0) };
}

const rounded = (place: HitRanking['words']): HitRanking['words'] =>
  place && { rank: place.rank, score: Number(place.score.toPrecision(6)), adds: round(place.adds) };

const round = (score: number): number => Number(score.toFixed(6));
