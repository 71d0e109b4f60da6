import { badValue, ServerError } from '../bson/error';
import { isDoc, type Doc, type Maybe, type Value } from '../bson/value';
import type { ApplyContext } from './leaf';
import { conflict, type Inner, type Tree } from './tree';

/** How far past its end an array may be extended with nulls, as on the server. */
const MAX_BACKFILL = 1_500_000;

const IDENTIFIER = /^\$\[(.*)\]$/;

/** The changed value: the same reference without changes, undefined when it is removed. */
export function applyTree(node: Tree, value: Maybe, context: ApplyContext, path: readonly string[]): Maybe {
  if (node.kind === 'leaf') return node.leaf.apply(value, context);
  if (isDoc(value)) return inDocument(node, value, context, path);
  if (Array.isArray(value)) return inArray(node, value, context, path);
  if (value === undefined) return inNothing(node, context, path);
  return inScalar(node, value, context, path);
}

function inDocument(node: Inner, document: Doc, context: ApplyContext, path: readonly string[]): Doc {
  let result = document;
  for (const [part, child] of node.children) {
    const name = part === '$' ? String(context.position()) : part;
    if (IDENTIFIER.test(name)) throw badValue(`Cannot apply array updates to non-array element ${path.join('.')}`);
    const existing = document.get(name);
    const updated = applyTree(child, existing, context, [...path, name]);
    if (Object.is(updated, existing)) continue;
    if (result === document) result = new Map(document);
    if (updated === undefined) result.delete(name);
    else result.set(name, updated);
  }
  return result;
}

/** A missing parent is created only if something is stored in it. */
function inNothing(node: Inner, context: ApplyContext, path: readonly string[]): Maybe {
  for (const part of node.children.keys()) {
    if (IDENTIFIER.test(part)) {
      throw badValue(`The path '${path.join('.')}' must exist in the document in order to apply array updates.`);
    }
  }
  const made = inDocument(node, new Map(), context, path);
  return made.size === 0 ? undefined : made;
}

function inScalar(node: Inner, value: Value, context: ApplyContext, path: readonly string[]): Value {
  for (const [part, child] of node.children) {
    if (IDENTIFIER.test(part)) throw badValue(`Cannot apply array updates to non-array element ${path.join('.')}`);
    if (part === '$') context.position();
    if (needsPath(child, context)) throw notViable(part, path);
  }
  return value;
}

const notViable = (part: string, path: readonly string[]): ServerError =>
  new ServerError('PathNotViable', `Cannot create field '${part}' in element {${path.at(-1)}: ...}`);

function needsPath(node: Tree, context: ApplyContext): boolean {
  if (node.kind === 'leaf') return node.leaf.needsPath(context);
  for (const child of node.children.values()) if (needsPath(child, context)) return true;
  return false;
}

/** Array filters test the elements as they were before this update. */
function inArray(node: Inner, array: readonly Value[], context: ApplyContext, path: readonly string[]): Value[] {
  const result = [...array];
  const touched = new Map<number, Tree>();
  let changed = false;
  for (const [part, child] of node.children) {
    for (const index of indexesOf(part, child, array, context, path)) {
      const other = touched.get(index);
      if (other !== undefined && (other.kind === 'leaf' || child.kind === 'leaf')) {
        throw conflict([...path, part].join('.'), [...path, String(index)].join('.'));
      }
      touched.set(index, child);
      const updated = applyTree(child, result[index], context, [...path, String(index)]);
      if (Object.is(updated, result[index])) continue;
      changed = true;
      extend(result, index);
      // Removing an element would move the others, so it becomes null.
      result[index] = updated ?? null;
    }
  }
  return changed ? result : (array as Value[]);
}

function extend(array: Value[], index: number): void {
  if (index - array.length > MAX_BACKFILL) {
    throw new ServerError('CannotBackfillArray', `can't backfill more than ${MAX_BACKFILL} elements`);
  }
  while (array.length < index) array.push(null);
}

/** The elements that a part of a path selects. */
function indexesOf(
  part: string,
  child: Tree,
  array: readonly Value[],
  context: ApplyContext,
  path: readonly string[],
): number[] {
  if (part === '$') return [context.position()];
  const identifier = IDENTIFIER.exec(part)?.[1];
  if (identifier !== undefined) {
    return array.flatMap((element, index) => (identifier === '' || context.passes(identifier, element) ? [index] : []));
  }
  if (/^\d{1,10}$/.test(part)) return [Number(part)];
  if (needsPath(child, context)) throw notViable(part, path);
  return [];
}
