import type { Json } from './json';

/** The way from a value to one inside it: names of members and indexes of lists. */
export type FieldPath = readonly string[];

const MAX_LENGTH = 500;
const STEP = /\.?([^.[\]'"]+)|\[(-?\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/y;
const INDEX = /^-?\d{1,9}$/;

/** Reads `a.b[0]['c d']`; negative indexes count from the end. Null when the text is no such path. */
export function parseFieldPath(text: string): FieldPath | null {
  if (text === '' || text.length > MAX_LENGTH || text.startsWith('.')) return null;
  const path: string[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const dotted = text[STEP.lastIndex] === '.';
    const first = STEP.lastIndex === 0;
    const found = STEP.exec(text);
    if (found === null) return null;
    const name = found[1];
    // Names are parted by dots: `a['b']c` is a slip.
    if (name !== undefined && !dotted && !first) return null;
    path.push((name ?? found[2] ?? found[3] ?? found[4]) as string);
  }
  return path;
}

/** The value at a path; undefined when there is none. Inherited names such as `constructor` are not there. */
export function valueAt(value: Json, path: FieldPath): Json | undefined {
  let here: Json | undefined = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    if (Array.isArray(here)) here = INDEX.test(step) ? here.at(Number(step)) : undefined;
    else here = Object.hasOwn(here, step) ? here[step] : undefined;
    if (here === undefined) return undefined;
  }
  return here;
}
