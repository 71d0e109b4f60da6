import { blockOf } from '../../../dsl';

/**
 * The tree of open paths: blocks of steps, and steps of blocks. An iteration can be removed without visiting anything
 * else. Only paths inside another step are stored.
 */
export class PathTree {
  readonly #inner = new Map<string, Set<string>>();

  add(path: string): void {
    for (let inner = path, outer = blockOf(path); outer !== ''; inner = outer, outer = blockOf(outer)) {
      const known = this.#inner.get(outer);
      if (known === undefined) this.#inner.set(outer, new Set([inner]));
      // Its ancestors were added with it.
      else if (known.has(inner)) return;
      else known.add(inner);
    }
  }

  /** The direct children of a step or block. */
  childrenOf(path: string): Iterable<string> {
    return this.#inner.get(path) ?? [];
  }

  /** True when a step or block has children. */
  hasChildren(path: string): boolean {
    return (this.#inner.get(path)?.size ?? 0) > 0;
  }

  /** Removes everything inside a step; calls `forget` with each path. */
  removeInside(step: string, forget: (path: string) => void): void {
    const inner = this.#inner.get(step);
    if (inner === undefined) return;
    this.#inner.delete(step);
    for (const path of inner) {
      this.removeInside(path, forget);
      forget(path);
    }
  }

  /** Removes a block and everything inside it. */
  remove(block: string, forget: (path: string) => void): void {
    this.removeInside(block, forget);
    this.#inner.get(blockOf(block))?.delete(block);
  }
}
