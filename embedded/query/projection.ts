import { expressionCompiler, scopeOf } from '../aggregate/expression';
import { assertFieldPath } from '../aggregate/fieldpath';
import type { Compiler } from '../aggregate/operator';
import { badValue, ServerError } from '../bson/error';
import { asInteger, isNumeric, toDouble } from '../bson/numeric';
import { type Doc, isDoc, type Value } from '../bson/value';
import { compileFilter, compilePositional } from './matcher';
import { compute, exclude, include, type Inner, insert, newTree } from './projectiontree';

interface ProjectionOptions {
  /** `find` also knows `$slice` by number, `$elemMatch` and the positional `.$`; `aggregate` does not. */
  flavour: 'find' | 'aggregate';
  /** The query filter, for the positional `.$`. */
  filter?: Doc;
  let?: ReadonlyMap<string, Value>;
  now?: Date;
}

/** A change to the projected document that needs the original one too. */
type Finish = (original: Doc, projected: Doc) => void;

interface Parsed {
  tree: Inner;
  finishes: Finish[];
  mode?: 'inclusion' | 'exclusion';
  /** An explicit projection of `_id`, which may differ from the mode. */
  id?: boolean;
  slices: boolean;
  /** Runs before the tree on each document: finds the position for `.$`. */
  prepare?: (document: Doc) => void;
}

/**
 * A projection as a function; the input is never changed, and untouched parts are shared.
 * @throws ServerError 31253, 31254 for a mix of inclusion and exclusion, 31249 and others as MongoDB does
 */
export function compileProjection(spec: Doc, options: ProjectionOptions): (document: Doc) => Doc {
  if (spec.size === 0) {
    if (options.flavour === 'find') return (document) => document;
    throw new ServerError(51272, 'projection specification must have at least one field');
  }
  const parsed: Parsed = { tree: newTree(), finishes: [], slices: false };
  const compiler = expressionCompiler(options);
  for (const [path, value] of spec) parseField(path, value, parsed, options, compiler);
  const mode = parsed.mode ?? modeOf(parsed);
  if (
    parsed.id === undefined
      ? mode === 'inclusion' && !parsed.tree.children.has('_id')
      : parsed.id === (mode === 'inclusion')
  ) {
    insert(parsed.tree, ['_id'], { kind: mode === 'inclusion' ? 'include' : 'exclude' });
  }
  const { tree, finishes, prepare } = parsed;
  return (document) => {
    prepare?.(document);
    const projected = mode === 'inclusion' ? include(tree, document) : exclude(tree, document);
    if (tree.computes) compute(tree, projected, scopeOf(document));
    for (const finish of finishes) finish(document, projected);
    return projected;
  };
}

/** Default mode without plain fields: `$slice` keeps the other fields, `$elemMatch` and `.$` do not. */
function modeOf({ slices, finishes, id }: Parsed): 'inclusion' | 'exclusion' {
  if (id === true) return 'inclusion';
  return finishes.length > 0 && !slices ? 'inclusion' : 'exclusion';
}

function setMode(parsed: Parsed, mode: 'inclusion' | 'exclusion', path: string): void {
  if (parsed.mode !== undefined && parsed.mode !== mode) {
    const [code, done] = mode === 'inclusion' ? ([31253, 'exclusion'] as const) : ([31254, 'inclusion'] as const);
    throw new ServerError(code, `Cannot do ${mode} on field ${path} in ${done} projection`);
  }
  parsed.mode = mode;
}

function parseField(path: string, value: Value, parsed: Parsed, options: ProjectionOptions, compiler: Compiler): void {
  if (path.endsWith('.$') && options.flavour === 'find') return parsePositional(path.slice(0, -2), parsed, options);
  assertFieldPath(path);
  const parts = path.split('.');
  if (isFlag(value)) return parseFlag(path, isTrue(value), parsed);
  if (isDoc(value)) {
    const operator = value.keys().next().value;
    if (operator === undefined) throw new ServerError(51270, `Invalid empty sub-projection: ${path}`);
    if (!operator.startsWith('$')) {
      for (const [name, inner] of value) parseField(`${path}.${name}`, inner, parsed, options, compiler);
      return;
    }
    if (operator === '$meta') throw new ServerError(40218, `no ${String(value.get('$meta'))} metadata is available`);
    if (operator === '$elemMatch') return parseElemMatch(path, value.get('$elemMatch') as Value, parsed, options);
    if (operator === '$slice' && options.flavour === 'find' && isFindSlice(value.get('$slice') as Value)) {
      parsed.slices = true;
      return insert(parsed.tree, parts, { kind: 'change', apply: slice(value.get('$slice') as Value) });
    }
  }
  if (parsed.mode === 'exclusion')
    throw new ServerError(31310, 'Cannot use an expression other than $meta in exclusion projection');
  parsed.mode = 'inclusion';
  insert(parsed.tree, parts, { kind: 'compute', expr: compiler.compile(value) });
}

const isFlag = (value: Value): boolean => typeof value === 'boolean' || isNumeric(value);
const isTrue = (value: Value): boolean => (isNumeric(value) ? toDouble(value) !== 0 : value === true);

function parseFlag(path: string, wanted: boolean, parsed: Parsed): void {
  if (path === '_id') {
    parsed.id = wanted;
    return;
  }
  insert(parsed.tree, path.split('.'), { kind: wanted ? 'include' : 'exclude' });
  setMode(parsed, wanted ? 'inclusion' : 'exclusion', path);
}

function parseElemMatch(path: string, filter: Value, parsed: Parsed, options: ProjectionOptions): void {
  if (options.flavour !== 'find')
    throw new ServerError('InvalidPipelineOperator', 'Cannot use $elemMatch in this context');
  if (path.includes('.')) throw new ServerError(31275, 'Cannot use $elemMatch projection on a nested field');
  const matches = compileFilter(new Map([[path, new Map([['$elemMatch', filter]])]]), options);
  insert(parsed.tree, [path], { kind: 'exclude' });
  parsed.finishes.push((original, projected) => {
    const array = original.get(path);
    const found = Array.isArray(array) ? array.find((entry) => matches(new Map([[path, [entry]]]))) : undefined;
    if (found !== undefined) projected.set(path, [found]);
  });
}

function parsePositional(path: string, parsed: Parsed, options: ProjectionOptions): void {
  if (options.filter === undefined) throw badValue("positional operator '.$' needs a query filter");
  if (parsed.prepare !== undefined)
    throw new ServerError(31276, 'Cannot specify more than one positional projection per query.');
  setMode(parsed, 'inclusion', path);
  const position = compilePositional(options.filter, options);
  let index = -1;
  parsed.prepare = (document) => {
    index = position(document) ?? -1;
  };
  insert(parsed.tree, path.split('.'), { kind: 'change', apply: (value) => elementOf(value, index) });
}

function elementOf(value: Value, index: number): Value {
  if (!Array.isArray(value)) return value;
  const element = index < 0 ? undefined : value[index];
  if (element === undefined) {
    throw new ServerError(51246, "positional operator '.$' couldn't find a matching element in the array");
  }
  return [element];
}

const isFindSlice = (value: Value): boolean =>
  isNumeric(value) || (Array.isArray(value) && value.every((part) => isNumeric(part)));

function slice(argument: Value): (value: Value) => Value {
  const [first, second] = (Array.isArray(argument) ? argument : [argument]).map((part) =>
    isNumeric(part) ? Number(asInteger(part) ?? Math.trunc(toDouble(part))) : 0,
  ) as [number, number | undefined];
  if (second !== undefined && second <= 0)
    throw new ServerError(28729, 'the third argument of $slice must be positive');
  const cut = (array: Value[]): Value[] => {
    if (second === undefined) return first < 0 ? array.slice(first) : array.slice(0, first);
    const from = first < 0 ? Math.max(0, array.length + first) : first;
    return array.slice(from, from + second);
  };
  return (value) => (Array.isArray(value) ? cut(value) : value);
}
