import { parsePath, type Path, pathText } from './document';

/** Where a value stands in a JSON text. */
interface Range {
  readonly from: number;
  readonly to: number;
}

const SPACE = /\s*/y;
const TEXT = /"(?:[^"\\]|\\.)*"/y;
const PLAIN = /[^\s,\]}]+/y;

/** The ranges of all values of a valid JSON text by their paths, outer before inner. */
export function positionsOf(text: string): ReadonlyMap<string, Range> {
  const found = new Map<string, Range>();
  let at = 0;
  const read = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const match = pattern.exec(text)?.[0] ?? '';
    at += match.length;
    return match;
  };
  const value = (path: Path): void => {
    read(SPACE);
    const key = pathText(path);
    const from = at;
    // A place in the order of the text, which its end then fills.
    found.set(key, { from, to: from });
    const first = text[at];
    if (first === '"') read(TEXT);
    else if (first === '{' || first === '[') members(path, first);
    else read(PLAIN);
    found.set(key, { from, to: at });
  };
  const members = (path: Path, open: string): void => {
    at += 1;
    for (let index = 0; at < text.length; index++) {
      read(SPACE);
      if (text[at] === '}' || text[at] === ']') break;
      let key: string | number = index;
      if (open === '{') {
        key = parsedKey(read(TEXT));
        read(SPACE);
        at += 1;
      }
      value([...path, key]);
      read(SPACE);
      if (text[at] === ',') at += 1;
      else break;
    }
    at += 1;
  };
  value([]);
  return found;
}

const parsedKey = (text: string): string => {
  try {
    return JSON.parse(text) as string;
  } catch {
    // The text is not valid; what comes then has no use.
    return text;
  }
};

/** The path of the innermost value around a position. */
export function pathAt(positions: ReadonlyMap<string, Range>, position: number): Path {
  let best = '';
  let length = Number.POSITIVE_INFINITY;
  for (const [path, { from, to }] of positions) {
    if (from <= position && position <= to && to - from < length) {
      best = path;
      length = to - from;
    }
  }
  return parsePath(best);
}

/** The range of a path, or of the nearest one around it that is in the text. */
export function rangeOf(positions: ReadonlyMap<string, Range>, path: Path): Range | undefined {
  for (let end = path.length; end >= 0; end--) {
    const range = positions.get(pathText(path.slice(0, end)));
    if (range !== undefined) return range;
  }
  return undefined;
}

/** The one replacement that makes a text of another: what is between the equal beginning and the equal end. */
export function changeBetween(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  let from = 0;
  while (from < before.length && before[from] === after[from]) from += 1;
  let end = 0;
  const max = Math.min(before.length, after.length) - from;
  while (end < max && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
