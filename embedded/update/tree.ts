import { ServerError } from '../bson/error';
import type { Leaf } from './leaf';

/** All changes of one update by path. A node is either a leaf or has children, never both. */
export type Tree = { kind: 'leaf'; leaf: Leaf } | { kind: 'inner'; children: Map<string, Tree> };

export type Inner = Extract<Tree, { kind: 'inner' }>;

export const newTree = (): Inner => ({ kind: 'inner', children: new Map() });

/** @throws ServerError ConflictingUpdateOperators (40) when a path is, or lies on, the path of another change */
export function insertLeaf(root: Inner, path: readonly string[], leaf: Leaf): void {
  let node = root;
  for (const [depth, part] of path.entries()) {
    const next = node.children.get(part);
    const last = depth === path.length - 1;
    if (mixesElements(node, part)) throw conflict(path.join('.'), path.slice(0, depth).join('.'));
    if (next !== undefined && (last || next.kind === 'leaf'))
      throw conflict(path.join('.'), path.slice(0, depth + 1).join('.'));
    if (last) {
      node.children.set(part, { kind: 'leaf', leaf });
      return;
    }
    const inner = next ?? newTree();
    node.children.set(part, inner);
    node = inner;
  }
}

/** Changes of elements (`$[]`, `$[id]`) and of fields cannot meet under one parent: it would be both array and document. */
function mixesElements(node: Inner, part: string): boolean {
  const sibling = node.children.keys().next().value;
  return sibling !== undefined && sibling.startsWith('$[') !== part.startsWith('$[');
}

export const conflict = (path: string, at: string): ServerError =>
  new ServerError('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${at}'`);

/** New fields appear in this order, not in the order of the request: numbers by value before other names. */
export function sortTree(node: Tree): void {
  if (node.kind === 'leaf') return;
  node.children = new Map([...node.children].sort(([a], [b]) => compareNames(a, b)));
  for (const child of node.children.values()) sortTree(child);
}

const NUMBER = /^\d+$/;

function compareNames(a: string, b: string): number {
  if (NUMBER.test(a) && NUMBER.test(b)) return Number(a) - Number(b);
  return a < b ? -1 : a > b ? 1 : 0;
}
