/** A block that a path is in: its key, and the path of the step that holds it; empty for a block of the document. */
export interface Enclosing {
  readonly key: string;
  readonly step: string;
}

/** The innermost block with one of these keys that a path is in; null when there is none. */
export function enclosing(path: string, keys: readonly string[]): Enclosing | null {
  if (!keys.some((key) => path.includes(key))) return null;
  // Ids of steps and keys of blocks take turns: a step may have the name of a block.
  const parts = path.split('/');
  for (let index = parts.length - 2; index >= 0; index -= 2) {
    const key = parts[index] as string;
    if (keys.includes(key)) return { key, step: parts.slice(0, index).join('/') };
  }
  return null;
}
