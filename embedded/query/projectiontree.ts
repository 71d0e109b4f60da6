import type { Expr, Scope } from '../aggregate/operator';
import { ServerError } from '../bson/error';
import { isDoc, type Doc, type Maybe, type Value } from '../bson/value';

/** The projection of a path. */
type Leaf =
  | { kind: 'include' }
  | { kind: 'exclude' }
  | { kind: 'compute'; expr: Expr }
  | { kind: 'change'; apply: (value: Value) => Value };

/** All of a projection by path. Order is the order of the specification, which is the order of new fields. */
type Tree = { kind: 'inner'; children: Map<string, Tree>; computes: boolean } | Leaf;
export type Inner = Extract<Tree, { kind: 'inner' }>;

export const newTree = (): Inner => ({ kind: 'inner', children: new Map(), computes: false });

/** @throws ServerError 31249, 31250 (or the given code) when a path is given twice or lies below another */
export function insert(root: Inner, path: readonly string[], leaf: Leaf, collisionCode?: number): void {
  let node = root;
  for (const [depth, part] of path.entries()) {
    if (leaf.kind === 'compute') node.computes = true;
    const next = node.children.get(part);
    const last = depth === path.length - 1;
    if (next !== undefined && (last || next.kind !== 'inner')) {
      throw new ServerError(collisionCode ?? (last ? 31250 : 31249), `Path collision at ${path.join('.')}`);
    }
    if (last) {
      node.children.set(part, leaf);
      return;
    }
    const inner: Tree = next ?? newTree();
    node.children.set(part, inner);
    node = inner;
  }
}

/** Keeps what the tree names, in the document's own order; scalars where the tree goes deeper are dropped. */
export function include(node: Inner, document: Doc): Doc {
  const result: Doc = new Map();
  for (const [name, value] of document) {
    const kept = includeMember(node.children.get(name), value);
    if (kept !== undefined) result.set(name, kept);
  }
  return result;
}

function includeMember(child: Tree | undefined, value: Value): Maybe {
  if (child === undefined) return undefined;
  if (child.kind === 'inner') return includeIn(child, value);
  if (child.kind === 'change') return child.apply(value);
  return child.kind === 'include' ? value : undefined;
}

function includeIn(node: Inner, value: Value): Maybe {
  if (isDoc(value)) return include(node, value);
  if (Array.isArray(value)) return value.map((entry) => includeIn(node, entry)).filter((entry) => entry !== undefined);
  // A scalar makes room, where it stood, for fields that are computed below it.
  return node.computes ? new Map() : undefined;
}

/** Leaves out what the tree names. */
export function exclude(node: Inner, document: Doc): Doc {
  const result: Doc = new Map();
  for (const [name, value] of document) {
    const child = node.children.get(name);
    if (child?.kind === 'exclude') continue;
    if (child?.kind === 'inner') result.set(name, excludeIn(child, value));
    else result.set(name, child?.kind === 'change' ? child.apply(value) : value);
  }
  return result;
}

function excludeIn(node: Inner, value: Value): Value {
  if (isDoc(value)) return exclude(node, value);
  return Array.isArray(value) ? value.map((entry) => excludeIn(node, entry)) : value;
}

/** Sets the computed fields: existing ones keep their place, new ones follow, missing results remove. Changes `target`. */
export function compute(node: Inner, target: Doc, scope: Scope): Doc {
  for (const [name, child] of node.children) {
    if (child.kind === 'compute') {
      const value = child.expr(scope);
      if (value === undefined) target.delete(name);
      else target.set(name, value);
    } else if (child.kind === 'inner' && child.computes) {
      target.set(name, computeIn(child, target.get(name), scope));
    }
  }
  return target;
}

function computeIn(node: Inner, value: Maybe, scope: Scope): Value {
  if (Array.isArray(value)) return value.map((entry) => computeIn(node, entry, scope));
  return compute(node, isDoc(value) ? new Map(value) : new Map(), scope);
}
