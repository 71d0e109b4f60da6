import type { IndexHit } from '../contract';
import { maskOf } from '../segment/live';
import { BestRows } from './best';
import type { Asked, Tally } from './calls';
import { bestOf, type Part } from './parts';
import type { Slices } from './slices';

/** The usual constants: how soon repetition stops to count, and how much long texts are held back (Robertson and Zaragoza, 2009). */
const K1 = 1.2;
const B = 0.75;

/** More terms than these of a question say nothing more; the most frequent are left out. */
const MOST_TERMS = 64;

/** How rare a term is among so many rows; never negative (as in Lucene). */
const rarity = (rows: number, frequency: number): number => Math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5));

/** What is alive in some segments. Dead rows count for nothing, so a merge changes no score. */
export async function tallyOf(parts: readonly Part[], terms: readonly string[], slices: Slices): Promise<Tally> {
  const frequencies = terms.map(() => 0);
  let rows = 0;
  let length = 0;
  for (const { segment, living } of parts) {
    const { words } = segment;
    for (const { from, to } of living.ranges) {
      rows += to - from;
      for (let row = from; row < to; row++) length += words.lengths[row] as number;
    }
    for (const [n, term] of terms.entries()) {
      const place = words.find(term);
      if (place < 0) continue;
      frequencies[n] = (frequencies[n] as number) + (living.mask === null ? words.frequency(place) : count(place));
      if (slices.over) await slices.pause();
    }

    function count(place: number): number {
      let alive = 0;
      for (const posting = words.postings(place); posting.next(); ) alive += living.mask?.[posting.row] ?? 0;
      return alive;
    }
  }
  return { rows, length, frequencies };
}

/** Rows of some segments by BM25, under the statistics of the whole space. */
export async function rank(parts: readonly Part[], asked: Asked<'rank'>, slices: Slices): Promise<IndexHit[]> {
  const weighed = weightsOf(asked);
  const average = asked.tally.length / Math.max(1, asked.tally.rows);
  const hits: IndexHit[] = [];
  for (const { segment, living } of parts) {
    const { words } = segment;
    const mask =
      asked.documents === null ? living.mask : maskOf(segment.rangesOf(asked.documents, living), segment.rows);
    const scores = new Float64Array(segment.rows);
    for (const { term, weight } of weighed) {
      const place = words.find(term);
      if (place < 0) continue;
      for (const posting = words.postings(place); posting.next(); ) {
        const { row, count } = posting;
        const norm = K1 * (1 - B + (B * (words.lengths[row] as number)) / average);
        scores[row] = (scores[row] as number) + (weight * count * (K1 + 1)) / (count + norm);
      }
      if (slices.over) await slices.pause();
    }
    const best = new BestRows(Math.min(asked.limit, segment.rows));
    for (let row = 0; row < scores.length; row++) {
      const score = scores[row] as number;
      if (score > 0 && score > best.least && (mask === null || mask[row] === 1)) best.add(row, score);
    }
    hits.push(...best.sorted().map((each) => segment.hit(each)));
  }
  return bestOf(hits, asked.limit);
}

/** In the same order for every segment, so that sums are the same whatever lies together. */
function weightsOf({ terms, tally }: Asked<'rank'>): { term: string; weight: number }[] {
  return terms
    .map((term, n) => ({ term, frequency: tally.frequencies[n] as number }))
    .filter(({ frequency }) => frequency > 0)
    .map(({ term, frequency }) => ({ term, weight: rarity(tally.rows, frequency) }))
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
    .slice(0, MOST_TERMS);
}
