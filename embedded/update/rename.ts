import { badValue, ServerError } from '../bson/error';
import { isIndex } from '../bson/path';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';
import type { Leaf } from './leaf';

/** The two changes of a rename: set the target, remove the source. */
interface Rename {
  target: string;
  appear: Leaf;
  vanish: Leaf;
}

/** @throws ServerError BadValue for a target that is no path, or overlaps with the source */
export function compileRename(source: string, argument: Value): Rename {
  if (typeof argument !== 'string') throw badValue(`The 'to' field for $rename must be a string: ${source}`);
  if (argument === source) throw badValue(`The source and target field for $rename must differ: ${source}`);
  if (argument.startsWith(`${source}.`) || source.startsWith(`${argument}.`)) {
    throw badValue(`The source and target field for $rename must not be on the same path: ${source}: "${argument}"`);
  }
  if ([source, argument].some((path) => path.split('.').some((part) => part === '$' || part.startsWith('$[')))) {
    throw badValue(`The fields of $rename may not be dynamic: ${source}: "${argument}"`);
  }
  const [from, to] = [source.split('.'), argument.split('.')];
  const found = (document: Doc): Maybe => sourceValue(document, from);
  return {
    target: argument,
    vanish: {
      apply: (existing, { original }) => (found(original) === undefined ? existing : undefined),
      needsPath: () => false,
    },
    appear: {
      needsPath({ original }) {
        const moves = found(original) !== undefined;
        if (moves) assertNoArray(original, to);
        return moves;
      },
      apply(existing, { original }) {
        const value = found(original);
        if (value !== undefined) assertNoArray(original, to);
        return value === undefined ? existing : value;
      },
    },
  };
}

/** The value to move. It may be missing, but must not be inside an array or below a scalar. */
function sourceValue(document: Doc, path: readonly string[]): Maybe {
  let value: Maybe = document;
  let inArray = false;
  for (const part of path) {
    if (Array.isArray(value)) {
      if (!isIndex(part)) throw notViable(part, path);
      inArray = true;
      value = value[Number(part)];
    } else if (value === undefined || isDoc(value)) value = value?.get(part);
    else throw notViable(part, path);
  }
  if (inArray && value !== undefined)
    throw badValue(`The source field cannot be an array element, '${path.join('.')}'`);
  return value;
}

const notViable = (part: string, path: readonly string[]): ServerError =>
  new ServerError('PathNotViable', `cannot use the part (${part} of ${path.join('.')}) to traverse the element`);

function assertNoArray(document: Doc, path: readonly string[]): void {
  let value: Maybe = document;
  for (const part of path) {
    if (Array.isArray(value)) throw badValue(`The destination field cannot be an array element, '${path.join('.')}'`);
    value = isDoc(value) ? value.get(part) : undefined;
  }
}
