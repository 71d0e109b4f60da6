/** The first `limit` of what an iterator gives; it is closed before this returns. */
export function first<T>(limit: number, source: Iterable<T>): T[] {
  const taken: T[] = [];
  if (limit === 0) return taken;
  for (const each of source) if (taken.push(each) >= limit) break;
  return taken;
}
