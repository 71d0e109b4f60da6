/** Items between two yields: even slow comparisons of them take a few milliseconds. */
const PIECE = 256;

/** A stable merge sort of a list of any length, for `runSliced`. */
export function* sortedInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  let lists: T[][] = [];
  for (let at = 0; at < items.length; at += PIECE) {
    lists.push(items.slice(at, at + PIECE).sort(compare));
    yield;
  }
  while (lists.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < lists.length; at += 2)
      longer.push(yield* merged(lists[at] as T[], lists[at + 1] ?? [], compare));
    lists = longer;
  }
  return lists[0] ?? [];
}

function* merged<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const all: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    all.push(compare(b[j] as T, a[i] as T) < 0 ? (b[j++] as T) : (a[i++] as T));
    if (all.length % PIECE === 0) yield;
  }
  return all.concat(a.slice(i), b.slice(j));
}
