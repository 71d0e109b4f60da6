import { badValue, failedToParse, ServerError } from '../bson/error';
import { typeName } from '../bson/types';
import { type Doc, isDoc, type Value } from '../bson/value';
import { compilePositional } from '../query/matcher';
import { applyTree } from './apply';
import { type ArrayFilters, assertFiltersUsed, compileArrayFilters } from './arrayfilters';
import { arrayOperators } from './arrays';
import { fieldOperators } from './fields';
import { assertSameId, dollarPrefixed } from './identity';
import type { ApplyContext, Leaf, LeafOperator, UpdateContext } from './leaf';
import { compileRename } from './rename';
import { type Inner, insertLeaf, newTree, sortTree } from './tree';

const OPERATORS = new Map<string, LeafOperator>(Object.entries({ ...fieldOperators, ...arrayOperators }));

interface OperatorOptions {
  arrayFilters: readonly Value[];
}

/** An update by operators, as a function of the document. */
export function compileOperators(
  update: Doc,
  options: OperatorOptions,
): (document: Doc, context: UpdateContext) => Doc {
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
  return (document, context) => applyAll(tree, document, context, filters);
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

function applyAll(tree: Inner, document: Doc, context: UpdateContext, filters: ArrayFilters): Doc {
  const applying: ApplyContext = {
    ...context,
    original: document,
    position: () => positionIn(document, context.filter),
    passes: (identifier, element) => filters.get(identifier)?.(element) === true,
  };
  const result = applyTree(tree, document, applying, []) as Doc;
  if (result !== document) {
    if (!context.isInsert) assertNoNewDollarField(tree, document, result);
    assertSameId(document, result, "Performing an update on the path '_id' would modify the immutable field '_id'");
  }
  return result;
}

/**
 * An update of a stored document neither creates nor replaces a field with `$` in front; it may remove one, and change what
 * is below it. An insert by upsert may create one.
 */
function assertNoNewDollarField(tree: Inner, before: Doc, after: Doc): void {
  for (const [name, child] of tree.children) {
    const value = after.get(name);
    if (!name.startsWith('$') || value === undefined || value === before.get(name)) continue;
    if (child.kind === 'leaf' || !before.has(name)) throw dollarPrefixed(name);
  }
}

function positionIn(document: Doc, filter: Doc | undefined): number {
  const position = filter === undefined ? undefined : compilePositional(filter)(document);
  if (position === undefined || position < 0) {
    throw badValue('The positional operator did not find the match needed from the query.');
  }
  return position;
}
