/** A list in parts of at most `size`. */
export const batchesOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** Like `Promise.allSettled` of `work` for each item, with at most `size` running at a time. */
export async function allSettledInBatches<T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = [];
  for (let at = 0; at < items.length; at += size)
    results.push(...(await Promise.allSettled(items.slice(at, at + size).map(work))));
  return results;
}
