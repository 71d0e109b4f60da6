import { compare } from '../bson/compare';
import { decode } from '../bson/decode';
import { badValue, failedToParse, ServerError } from '../bson/error';
import { type ElementChange, placeOf, withElements } from '../bson/splice';
import { typeName } from '../bson/types';
import { type Doc, isDoc, type Value } from '../bson/value';
import { compilePositional } from '../query/matcher';
import { applyTree } from './apply';
import { type ArrayFilters, assertFiltersUsed, compileArrayFilters } from './arrayfilters';
import { arrayOperators } from './arrays';
import { fieldOperators } from './fields';
import type { ApplyContext, Change, Leaf, LeafOperator, UpdateContext } from './leaf';
import { compileRename } from './rename';
import { type Inner, insertLeaf, newTree, sortTree } from './tree';

const OPERATORS = new Map<string, LeafOperator>(Object.entries({ ...fieldOperators, ...arrayOperators }));

interface OperatorOptions {
  arrayFilters: readonly Value[];
}

/** An update by operators. Only the top-level fields that it names are decoded and encoded. */
export function compileOperators(
  update: Doc,
  options: OperatorOptions,
): (before: Buffer, context: UpdateContext) => Change | null {
  const tree = newTree();
  const paths: string[][] = [];
  const insert = (path: string, leaf: Leaf): void => {
    const parts = updatePath(path);
    paths.push(parts);
    insertLeaf(tree, parts, leaf);
  };
  for (const [operator, changes] of update) compileOperator(operator, changes, options, insert);
  const filters = compileArrayFilters(options.arrayFilters);
  assertFiltersUsed(filters, paths);
  sortTree(tree);
  return (before, context) => applyAll(tree, before, context, filters);
}

function compileOperator(
  operator: string,
  changes: Value,
  options: OperatorOptions,
  insert: (path: string, leaf: Leaf) => void,
): void {
  const compile = OPERATORS.get(operator);
  if (compile === undefined && operator !== '$rename') {
    throw failedToParse(
      `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
    );
  }
  if (!isDoc(changes)) {
    throw failedToParse(
      `Modifiers operate on fields but we found type ${typeName(changes)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ...}`,
    );
  }
  for (const [path, argument] of changes) {
    if (compile !== undefined) {
      insert(path, compile(argument, path));
      continue;
    }
    const { target, appear, vanish } = compileRename(path, argument);
    insert(path, vanish);
    insert(target, appear);
  }
}

/** The parts of a path to change. @throws ServerError EmptyFieldName or BadValue */
function updatePath(path: string): string[] {
  const parts = path.split('.');
  if (parts.includes(''))
    throw new ServerError(
      'EmptyFieldName',
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    );
  const first = parts[0] as string;
  if (first === '$' || first.startsWith('$['))
    throw badValue(`Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  if (parts.filter((part) => part === '$').length > 1)
    throw badValue(`Too many positional (i.e. '$') elements found in path '${path}'`);
  return parts;
}

function applyAll(tree: Inner, before: Buffer, context: UpdateContext, filters: ArrayFilters): Change | null {
  let decoded: Doc | undefined;
  const applying: ApplyContext = {
    ...context,
    get original() {
      return (decoded ??= decode(before));
    },
    position: () => positionIn(applying.original, context.filter),
    passes: (identifier, element) => filters.get(identifier)?.(element) === true,
  };
  const changes: ElementChange[] = [];
  for (const [name, child] of tree.children) {
    const place = placeOf(before, name);
    const value = applyTree(child, place.value, applying, [name]);
    if (Object.is(value, place.value)) continue;
    // A stored document may lose a field with `$` in front and change below it, but not gain or replace one.
    const replaced = child.kind === 'leaf' || place.value === undefined;
    if (!context.isInsert && name.startsWith('$') && value !== undefined && replaced) throw dollarPrefixed(name);
    if (name === '_id' && place.value !== undefined && compare(place.value, value) !== 0)
      throw changedId("Performing an update on the path '_id' would modify the immutable field '_id'");
    changes.push({ place, value });
  }
  if (changes.length === 0) return null;
  return { after: withElements(before, changes), fields: new Set(changes.map(({ place }) => place.name)) };
}

function positionIn(document: Doc, filter: Doc | undefined): number {
  const position = filter === undefined ? undefined : compilePositional(filter)(document);
  if (position === undefined || position < 0) {
    throw badValue('The positional operator did not find the match needed from the query.');
  }
  return position;
}

/** The error for a changed `_id`. */
export const changedId = (message: string): ServerError => new ServerError('ImmutableField', message);

/** The error for a field name that begins with a dollar. */
export const dollarPrefixed = (name: string): ServerError =>
  new ServerError(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
