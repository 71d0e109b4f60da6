import { isIndex, type Path } from '../bson/path';
import { isDoc, type Maybe, type Value } from '../bson/value';

/**
 * Result of a test: NO, PLAIN, or the position in the outermost array where it matched. A plain number costs nothing on
 * scans, and the position is that of the positional `$` of updates.
 */
export type Outcome = number;
export const NO = -2;
export const PLAIN = -1;

/** Tests one value of the path; `undefined` is "missing". */
export type Visit = (value: Maybe) => Outcome;

/** Whether an array at the end of the path is tried element by element before it is tried as a whole. */
export type Leaf = 'elements' | 'whole';

/**
 * Tries `visit` on all values that a path may refer to, until one matches.
 *
 * Rules, as MongoDB behaves (all probed):
 * W1. Documents on the path are followed by name; a scalar on the path means missing.
 * W2. An array on the path is tried per element: documents are followed, scalars mean missing (unless the name is a
 * number), nested arrays are skipped.
 * W3. A numeric name also means the position; a nested array there is entered.
 * W4. When an array on the path had nothing to try, missing is tried once, except for an array reached by position.
 */
export function walk(start: Maybe, path: Path, from: number, leaf: Leaf, visit: Visit): Outcome {
  let value = start;
  for (let depth = from; depth < path.length; depth++) {
    if (isDoc(value)) value = value.get(path[depth] as string);
    else return Array.isArray(value) ? walkArray(value, path, depth, leaf, visit, false) : visit(undefined);
  }
  return Array.isArray(value) && leaf === 'elements' ? visitArray(value, visit) : visit(value);
}

function visitArray(array: readonly Value[], visit: Visit): Outcome {
  for (let index = 0; index < array.length; index++) if (visit(array[index]) !== NO) return index;
  return visit(array as Value[]);
}

function walkArray(
  array: readonly Value[],
  path: Path,
  depth: number,
  leaf: Leaf,
  visit: Visit,
  byPosition: boolean,
): Outcome {
  const name = path[depth] as string;
  const position = isIndex(name) ? Number(name) : -1;
  let tried = byPosition;
  for (let index = 0; index < array.length; index++) {
    const entry = array[index] as Value;
    if (isDoc(entry)) {
      tried = true;
      if (walk(entry, path, depth, leaf, visit) !== NO) return index;
    }
    if (index === position) {
      tried = true;
      // A position given in the path does not count for the positional `$`; only arrays below it do.
      const outcome = atPosition(entry, path, depth + 1, leaf, visit);
      if (outcome !== NO) return outcome;
    } else if (position < 0 && !isDoc(entry) && !Array.isArray(entry)) {
      tried = true;
      if (visit(undefined) !== NO) return index;
    }
  }
  return tried ? NO : visit(undefined);
}

function atPosition(entry: Value, path: Path, depth: number, leaf: Leaf, visit: Visit): Outcome {
  if (depth === path.length) return visit(entry);
  return Array.isArray(entry)
    ? walkArray(entry, path, depth, leaf, visit, true)
    : walk(entry, path, depth, leaf, visit);
}
