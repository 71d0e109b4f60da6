/**
 * String search in linear time. The engine's `indexOf` is quadratic in the worst case: a needle of 100,000 characters
 * can take 30 s.
 */

/** For needles this short, the engine's search is fast even in the worst case. */
const SHORT = 64;

/** Whether `text` includes `find`. */
export const includesText = (text: string, find: string): boolean =>
  find.length <= SHORT ? text.includes(find) : positions(text, find, 1).length > 0;

/** Splits a text, as `text.split(find)`. */
export function splitText(text: string, find: string): string[] {
  if (find.length <= SHORT) return text.split(find);
  const pieces: string[] = [];
  let from = 0;
  for (const position of positions(text, find, Number.POSITIVE_INFINITY)) {
    pieces.push(text.slice(from, position));
    from = position + find.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}

/** Positions of the first `max` non-overlapping occurrences (Knuth, Morris and Pratt). */
function positions(text: string, find: string, max: number): number[] {
  const found: number[] = [];
  const borders = bordersOf(find);
  let matched = 0;
  for (let index = 0; index < text.length && found.length < max; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && find.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
    if (find.charCodeAt(matched) === code) matched += 1;
    if (matched === find.length) {
      found.push(index - matched + 1);
      matched = 0;
    }
  }
  return found;
}

/** The failure function: for each prefix, the length of its longest proper prefix that is also a suffix. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let index = 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] as number;
    if (text.charCodeAt(length) === code) length += 1;
    borders[index] = length;
  }
  return borders;
}
