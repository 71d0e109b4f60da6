/** The first `limit` items of an iterator, which is closed then. */
export function first<T>(limit: number, source: Iterable<T>): T[] {
  const taken: T[] = [];
  if (limit === 0) return taken;
  for (const each of source) if (taken.push(each) >= limit) break;
  return taken;
}
