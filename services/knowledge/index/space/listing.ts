import { kills } from '../segment/documents';
import type { Contents, Tables } from './manifest';

/** Living documents whose ids come after one, in the order of their bytes. Pure. */
export function pageOf(
  { segments, tombstones }: Contents,
  tables: Tables,
  after: string | null,
  limit: number,
): { id: string; revision: number }[] {
  const stones = new Map(tombstones.map((stone) => [stone.id, stone]));
  const found = new Map<string, number>();
  for (const { id: segment, seq } of segments) {
    const table = tables.get(segment);
    if (table === undefined) continue;
    const own = new Set<string>();
    for (
      let at = after === null ? 0 : table.lowerBound(Buffer.from(after));
      at < table.size && own.size < limit;
      at++
    ) {
      const id = table.id(at);
      const stone = stones.get(id);
      if (id === after || (stone !== undefined && kills(stone, seq, table.revision(at)))) continue;
      own.add(id);
      found.set(id, table.revision(at));
    }
  }
  return [...found]
    .map(([id, revision]) => ({ id, revision }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))
    .slice(0, limit);
}
