import type { Json } from './json';

/** A path into a value: object keys and list indexes. */
export type FieldPath = readonly string[];

const MAX_LENGTH = 500;
const STEP = /\.?([^.[\]'"]+)|\[(-?\d{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]/y;
const INDEX = /^-?\d{1,9}$/;

/** Parses `a.b[0]['c d']`; negative indexes count from the end. Null for other texts. */
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
    // Names must be separated by dots: `a['b']c` is a mistake.
    if (name !== undefined && !dotted && !first) return null;
    path.push((name ?? found[2] ?? found[3] ?? found[4]) as string);
  }
  return path;
}

/** The value at a path; undefined when absent. Inherited properties such as `constructor` are ignored. */
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
