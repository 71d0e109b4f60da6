import { RANK, rank } from '../bson/compare';
import { isNaNValue } from '../bson/numeric';
import { isIndex, splitPath } from '../bson/path';
import { type Doc, isDoc, MAX_KEY, MIN_KEY, Regex, UNDEFINED, type Value } from '../bson/value';
import { isOperatorDoc, REFERENCE_FIELDS } from './node';

/** One end of a range. */
export interface Limit {
  value: Value;
  inclusive: boolean;
}

/**
 * A necessary condition of a filter, in terms of index keys: every matching document has at least one key at `path`
 * (as `valuesAt` gives them, missing read as null) that satisfies it.
 *
 * - `eq`, `in`: the key equals the value, or one of the values. Null therefore covers missing.
 * - `range`: the key is of the limits' type class and within them; an absent limit means the end of that class.
 * - `exists`: the field is present (enough for a sparse index; no limits on keys).
 *
 * Two bounds on one path may be intersected only when the path is not multikey: different elements may satisfy each.
 * Bounds with the same `element` number hold together for one key of a compound index over their paths.
 */
export type Bound = { path: string; element?: number } & (
  | { kind: 'eq'; value: Value }
  | { kind: 'in'; values: Value[] }
  | { kind: 'range'; min?: Limit; max?: Limit }
  | { kind: 'exists' }
);

export interface Analysis {
  /** All hold at once. */
  bounds: Bound[];
  /** For each top-level `$or` (in order): its branches; every matching document satisfies at least one branch. */
  or: Analysis[][];
  /** The bounds are equivalent to the filter if no path is multikey: no residual filter is needed. */
  exact: boolean;
}

/** Facts for the planner from the top-level conjunction. The filter must have compiled before. */
export function analyze(filter: Doc): Analysis {
  const analysis: Analysis = { bounds: [], or: [], exact: true };
  const elements = { next: 1 };
  collect(filter, '', undefined, analysis, elements);
  return analysis;
}

interface Elements {
  next: number;
}

function collect(
  filter: Doc,
  prefix: string,
  element: number | undefined,
  analysis: Analysis,
  elements: Elements,
): void {
  for (const [name, value] of filter) {
    if (name === '$and') {
      for (const part of value as Doc[]) collect(part, prefix, element, analysis, elements);
    } else if (name === '$or' && prefix === '') {
      analysis.exact = false;
      analysis.or.push((value as Doc[]).map(analyze));
    } else if (name.startsWith('$') && !REFERENCE_FIELDS.has(name)) {
      if (name !== '$comment') analysis.exact = false;
    } else {
      field(prefix + name, value, element, analysis, elements);
    }
  }
}

function field(path: string, value: Value, element: number | undefined, analysis: Analysis, elements: Elements): void {
  const conditions: [string, Value][] = isOperatorDoc(value) ? [...value] : [['$eq', value]];
  if (value instanceof Regex) analysis.exact = false;
  else for (const [operator, argument] of conditions) condition(path, operator, argument, element, analysis, elements);
}

function condition(
  path: string,
  operator: string,
  argument: Value,
  element: number | undefined,
  analysis: Analysis,
  elements: Elements,
): void {
  const add = (
    bound:
      | Omit<Extract<Bound, { kind: 'eq' }>, 'path'>
      | Omit<Extract<Bound, { kind: 'in' }>, 'path'>
      | Omit<Extract<Bound, { kind: 'range' }>, 'path'>
      | { kind: 'exists' },
  ): void => {
    analysis.bounds.push({ path, element, ...bound });
  };
  switch (operator) {
    case '$eq':
      return addEquality([argument], path, analysis, add);
    case '$in':
      return addEquality(argument as Value[], path, analysis, add);
    case '$all':
      return addAll(path, argument as Value[], element, analysis, elements);
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return addRange(operator, argument, path, analysis, add);
    case '$exists':
      analysis.exact = false;
      if (argument !== false && argument !== null && argument !== 0 && rank(argument) === RANK.boolean)
        add({ kind: 'exists' });
      return;
    case '$elemMatch':
      analysis.exact = false;
      return addElement(path, argument as Doc, element, analysis, elements);
    default:
      analysis.exact = false;
  }
}

type Add = (
  bound: { kind: 'eq'; value: Value } | { kind: 'in'; values: Value[] } | { kind: 'range'; min?: Limit; max?: Limit },
) => void;

/** A name that is a number may also be a position, where an index holds less than the filter sees. */
const mayBePosition = (path: string): boolean => splitPath(path).slice(1).some(isIndex);

function addEquality(values: readonly Value[], path: string, analysis: Analysis, add: Add): void {
  const unusable = values.some(
    (value) => value instanceof Regex || value === UNDEFINED || (value === null && mayBePosition(path)),
  );
  if (values.some((value) => value === null || Array.isArray(value))) analysis.exact = false;
  if (unusable) {
    analysis.exact = false;
    return;
  }
  const keys = values.flatMap(keysOf);
  if (keys.length === 1) add({ kind: 'eq', value: keys[0] as Value });
  else add({ kind: 'in', values: keys });
}

/** A whole array is stored by its elements, or as itself inside another array; an empty one as undefined. */
const keysOf = (value: Value): Value[] =>
  Array.isArray(value) ? [value.length === 0 ? UNDEFINED : (value[0] as Value), value] : [value];

function addRange(
  operator: '$gt' | '$gte' | '$lt' | '$lte',
  argument: Value,
  path: string,
  analysis: Analysis,
  add: Add,
): void {
  const inclusive = operator === '$gte' || operator === '$lte';
  if (argument === null && inclusive) return addEquality([null], path, analysis, add);
  const unusable =
    Array.isArray(argument) ||
    argument === null ||
    argument === MIN_KEY ||
    argument === MAX_KEY ||
    argument === UNDEFINED;
  // NaN sorts below numbers: it is in the key range but does not match.
  if (unusable || isNaNValue(argument) || (rank(argument) === RANK.number && operator.startsWith('$lt')))
    analysis.exact = false;
  if (unusable) return;
  if (isNaNValue(argument)) return inclusive ? add({ kind: 'eq', value: argument }) : undefined;
  const limit: Limit = { value: argument, inclusive };
  add(operator.startsWith('$gt') ? { kind: 'range', min: limit } : { kind: 'range', max: limit });
}

function addAll(
  path: string,
  list: readonly Value[],
  element: number | undefined,
  analysis: Analysis,
  elements: Elements,
): void {
  // An empty list matches nothing, which bounds cannot express.
  if (list.length === 0) analysis.exact = false;
  for (const entry of list) {
    if (entry instanceof Regex) analysis.exact = false;
    else if (isDoc(entry) && isOperatorDoc(entry))
      condition(path, '$elemMatch', entry.get('$elemMatch') as Value, element, analysis, elements);
    else condition(path, '$eq', entry, element, analysis, elements);
  }
}

/** Conditions on one element: on the element itself they all hold for one key; on its fields see `meetInElement`. */
function addElement(
  path: string,
  argument: Doc,
  outer: number | undefined,
  analysis: Analysis,
  elements: Elements,
): void {
  const first = argument.keys().next().value;
  // Inside another $elemMatch the elements' own numbers would claim more than is known.
  const number = outer ?? elements.next++;
  if (isOperatorDoc(argument) && !['$and', '$or', '$nor', '$expr'].includes(first ?? '')) {
    // The filter enters an array that a position names, where the index has that array as one key.
    if (mayBePosition(path)) return;
    for (const [operator, value] of argument) {
      if (operator === '$elemMatch' || operator === '$not' || mentionsNull(value)) continue;
      condition(path, operator, value, number, analysis, elements);
    }
    return;
  }
  const inner: Analysis = { bounds: [], or: [], exact: false };
  collect(argument, `${path}.`, number, inner, elements);
  // Elements that are arrays are read as documents by position, which index keys do not show.
  const usable = inner.bounds.filter((bound) => !mayBePosition(bound.path));
  analysis.bounds.push(...(outer === undefined ? meetInElement(usable, path) : usable));
}

/**
 * Only one bound on each field of the element keeps its number: the field may be an array again, and two conditions on
 * it, or on two fields below it, may be met by different entries of that inner array.
 */
function meetInElement(bounds: readonly Bound[], path: string): Bound[] {
  const taken = new Set<string>();
  return bounds.map((bound) => {
    const [field = ''] = bound.path.slice(path.length + 1).split('.');
    if (taken.has(field)) return { ...bound, element: undefined };
    taken.add(field);
    return bound;
  });
}

const mentionsNull = (value: Value): boolean => value === null || (Array.isArray(value) && value.includes(null));
