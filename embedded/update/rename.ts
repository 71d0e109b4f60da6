import { badValue, ServerError } from '../bson/error';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';
import type { Leaf } from './leaf';

/** The two changes that make a rename: the value appears at the target and goes from the source. */
export interface Rename {
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
  if ([source, argument].some((path) => path.split('.').some((part) => part.startsWith('$')))) {
    throw badValue(`The fields of $rename may not be dynamic: ${source}: "${argument}"`);
  }
  const [from, to] = [source.split('.'), argument.split('.')];
  const found = (document: Doc): Maybe => through(document, from, 'source');
  return {
    target: argument,
    vanish: {
      apply: (existing, { original }) => (found(original) === undefined ? existing : undefined),
      creates: () => false,
    },
    appear: {
      creates: ({ original }) => found(original) !== undefined,
      apply(existing, { original }) {
        const value = found(original);
        if (value !== undefined) through(original, to, 'destination');
        return value ?? existing;
      },
    },
  };
}

/** The value at a path that must not lead through arrays. */
function through(document: Doc, path: readonly string[], role: 'source' | 'destination'): Maybe {
  let value: Maybe = document;
  for (const part of path) {
    if (Array.isArray(value)) throw badValue(`The ${role} field cannot be an array element, '${path.join('.')}'`);
    if (value !== undefined && !isDoc(value)) {
      throw new ServerError(
        'PathNotViable',
        `cannot use the part (${part} of ${path.join('.')}) to traverse the element`,
      );
    }
    value = value?.get(part);
  }
  return value;
}
