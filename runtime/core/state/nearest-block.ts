/** A block around a path: its key, and the path of its step; empty for a block of the document. */
interface NearestBlock {
  readonly key: string;
  readonly step: string;
}

/** The innermost block around a path with one of these keys; null when there is none. */
export function nearestBlock(path: string, keys: readonly string[]): NearestBlock | null {
  if (!keys.some((key) => path.includes(key))) return null;
  // Step ids and block keys alternate: a step may have the name of a block.
  const parts = path.split('/');
  for (let index = parts.length - 2; index >= 0; index -= 2) {
    const key = parts[index] as string;
    if (keys.includes(key)) return { key, step: parts.slice(0, index).join('/') };
  }
  return null;
}
