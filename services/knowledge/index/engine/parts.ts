import type { IndexHit } from '../contract';
import type { LoadedSegment } from './loaded';

/** A loaded segment, and what is alive in it. */
export interface Part {
  readonly segment: LoadedSegment;
  readonly living: ReturnType<LoadedSegment['living']>;
}

/** The best hits, in an order that does not depend on where they were found. */
export const bestOf = (hits: IndexHit[], limit: number): IndexHit[] =>
  hits.sort((a, b) => b.score - a.score || compare(a.documentId, b.documentId) || a.n - b.n).slice(0, limit);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
