import { ServerError } from '../../bson/error';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import { assertFieldPath, readPath } from '../fieldpath';
import { PAUSE, type StageCompiler, streaming } from '../stage';

interface Unwind {
  path: string[];
  preserve: boolean;
  indexField?: string[];
}

function parse(argument: Value): Unwind {
  const options: Doc = isDoc(argument) ? argument : new Map([['path', argument]]);
  const unwind: Unwind = { path: [], preserve: false };
  for (const [name, value] of options) {
    if (name === 'path') unwind.path = pathOf(value);
    else if (name === 'preserveNullAndEmptyArrays') {
      if (typeof value !== 'boolean')
        throw new ServerError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
      unwind.preserve = value;
    } else if (name === 'includeArrayIndex') {
      if (typeof value !== 'string' || value === '')
        throw new ServerError(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
      if (value.startsWith('$'))
        throw new ServerError(28822, 'includeArrayIndex option to $unwind stage should not be prefixed with a $');
      unwind.indexField = value.split('.');
    } else throw new ServerError(28811, `unrecognized option to $unwind stage: ${name}`);
  }
  if (unwind.path.length === 0) throw new ServerError(28812, 'no path specified to $unwind stage');
  return unwind;
}

function pathOf(value: Value): string[] {
  if (typeof value !== 'string') throw new ServerError(28808, 'expected a string as the path for $unwind stage');
  if (!value.startsWith('$'))
    throw new ServerError(28818, `path option to $unwind stage should be prefixed with a '$': ${value}`);
  assertFieldPath(value.slice(1));
  return value.slice(1).split('.');
}

/** The document with one value replaced (or removed) along a path; parents are made as needed. */
export function withValue(document: Doc, path: readonly string[], value: Maybe): Doc {
  const [name, ...rest] = path as [string, ...string[]];
  const existing = document.get(name);
  const next =
    rest.length === 0
      ? value
      : isDoc(existing) || value !== undefined
        ? withValue(isDoc(existing) ? existing : new Map(), rest, value)
        : existing;
  const result = new Map(document);
  if (next === undefined) result.delete(name);
  else result.set(name, next);
  return result;
}

/** One document per array element. A non-array value counts as its only element. */
export const unwind: StageCompiler = (argument) => {
  const { path, preserve, indexField } = parse(argument);
  const indexed = (document: Doc, index: Value): Doc =>
    indexField === undefined ? document : withValue(document, indexField, index);
  return streaming(function* (documents) {
    for (const document of documents) {
      if (document === PAUSE) {
        yield PAUSE;
        continue;
      }
      const value = valueAt(document, path);
      if (Array.isArray(value) && value.length > 0) {
        for (const [index, element] of value.entries())
          yield indexed(withValue(document, path, element), BigInt(index));
      } else if (Array.isArray(value)) {
        if (preserve) yield indexed(withValue(document, path, undefined), null);
      } else if (preserve || (value !== undefined && value !== null)) {
        yield indexed(document, null);
      }
    }
  });
};

/** The path goes through documents only, not through arrays. */
function valueAt(document: Doc, path: readonly string[]): Maybe {
  let value: Maybe = document;
  for (const name of path) {
    if (!isDoc(value)) return undefined;
    value = readPath(value, [name]);
  }
  return value;
}
