const LONGEST_WORD = 64;
const SHORTEST_PREFIX = 3;

/**
 * The candidate that was most likely meant by `word`: equal but for case and separators, near in edit distance, or
 * begun by it. Single letters are near to nothing.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  if (word.length < 2 || word.length > LONGEST_WORD) return null;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (plain(candidate) === plain(word)) return candidate;
    if (best === null && word.length >= SHORTEST_PREFIX && candidate.startsWith(word)) best = candidate;
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The sentence `did you mean "x"?`, or undefined when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const match = nearest(word, candidates);
  return match === null ? undefined : `did you mean "${match}"?`;
}

const plain = (word: string): string => word.toLowerCase().replace(/[-_ .]/g, '');

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, at(beforeLast, j - 2) + 1);
      }
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] as number;
