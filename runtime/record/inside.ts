import { blockOf } from '../../dsl';

/**
 * What lies inside of what: the blocks of each step, and the steps of each block, so that the turn of a loop can be
 * forgotten without a look at anything else. Only paths that lie inside of something are kept.
 */
export class Inside {
  readonly #inner = new Map<string, Set<string>>();

  add(path: string): void {
    for (let inner = path, outer = blockOf(path); outer !== ''; inner = outer, outer = blockOf(outer)) {
      const known = this.#inner.get(outer);
      if (known === undefined) this.#inner.set(outer, new Set([inner]));
      // What lies further out was added with it.
      else if (known.has(inner)) return;
      else known.add(inner);
    }
  }

  /** What lies directly inside of a step or block. */
  in(path: string): Iterable<string> {
    return this.#inner.get(path) ?? [];
  }

  /** Whether anything lies inside of a step or block. */
  has(path: string): boolean {
    return (this.#inner.get(path)?.size ?? 0) > 0;
  }

  /** Forgets all that lies inside of a step; `forget` is told each path. */
  clear(step: string, forget: (path: string) => void): void {
    const inner = this.#inner.get(step);
    if (inner === undefined) return;
    this.#inner.delete(step);
    for (const path of inner) {
      this.clear(path, forget);
      forget(path);
    }
  }

  /** Forgets a block, and all that lies inside of it. */
  drop(block: string, forget: (path: string) => void): void {
    this.clear(block, forget);
    this.#inner.get(blockOf(block))?.delete(block);
  }
}
