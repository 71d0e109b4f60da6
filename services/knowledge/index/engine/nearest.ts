import { unit } from '../analysis/hashed';
import type { IndexHit } from '../contract';
import type { Arena } from './arena';
import { BestRows } from './best';
import type { Asked } from './calls';
import { bestOf, type Part } from './parts';
import type { Slices } from './slices';

/** Rows of some segments by cosine, exactly: every living row is compared. */
export async function nearest(
  parts: readonly Part[],
  { vector, limit, documents }: Asked<'nearest'>,
  arena: Arena,
  slices: Slices,
): Promise<IndexHit[]> {
  const query = unit(vector);
  arena.setQuery(query);
  const hits: IndexHit[] = [];
  for (const { segment, living } of parts) {
    const best = new BestRows(Math.min(limit, segment.rows));
    const ranges = documents === null ? living.ranges : segment.rangesOf(documents, living);
    for (const { from, to } of ranges) {
      for (let row = from; row < to; ) {
        const scores = arena.scores(segment.vectors, row, to);
        best.addAll(row, scores);
        row += scores.length;
        if (!slices.due) continue;
        await slices.pause();
        // Another search may have had its turn.
        arena.setQuery(query);
      }
    }
    hits.push(...best.sorted().map((each) => segment.hit(each)));
  }
  return bestOf(hits, limit);
}
