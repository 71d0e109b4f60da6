const MAX_WORD_CHARS = 64;
/** Maximum number of compared pairs of letters per word. */
const MAX_COMPARED = 100_000;
const MIN_PREFIX_CHARS = 3;

/**
 * The candidate that was most likely intended: equal except for case and separators, near in edit distance, or with the
 * word as a prefix. Single letters match nothing.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  if (word.length < 2 || word.length > MAX_WORD_CHARS) return null;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | null = null;
  let bestDistance = limit + 1;
  let compared = 0;
  const wanted = plain(word);
  for (const candidate of candidates) {
    if (plain(candidate) === wanted) return candidate;
    if (best === null && word.length >= MIN_PREFIX_CHARS && candidate.startsWith(word)) best = candidate;
    if (Math.abs(candidate.length - word.length) > limit || compared > MAX_COMPARED) continue;
    compared += word.length * candidate.length;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
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

/**
 * Insertions, deletions, replacements and swaps of adjacent letters between two words (optimal string alignment). May
 * stop counting at `enough`.
 */
export function editDistance(a: string, b: string, enough = Number.POSITIVE_INFINITY): number {
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
    if (Math.min(...row) >= enough && Math.min(...last) >= enough) return enough;
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] as number;
