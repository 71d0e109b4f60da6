import { isObject } from '../lib/json';

/** A list of steps inside a step. `key` names it in step paths, `path` in messages about the document. */
interface Block {
  readonly key: string;
  readonly path: string;
  readonly steps: readonly unknown[];
}

const LISTS_OF_BLOCKS = ['cases', 'branches'] as const;
const LISTS = ['steps', 'else', 'catch', 'finally', 'on_error', 'compensate'] as const;

/** Blocks that may be empty. */
export const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['else', 'catch', 'finally']);

/**
 * The blocks of a step: the steps of each of `cases` and `branches`, then `steps`, `else`, `catch`, `finally`,
 * `on_error` (when it is a list) and `compensate`.
 */
export function blocksOf(step: Record<string, unknown>): Block[] {
  const blocks: Block[] = [];
  for (const name of LISTS_OF_BLOCKS) {
    const list = Object.hasOwn(step, name) ? step[name] : undefined;
    if (!Array.isArray(list)) continue;
    for (const [index, block] of list.entries()) {
      if (!isObject(block) || !Object.hasOwn(block, 'steps') || !Array.isArray(block.steps)) continue;
      blocks.push({ key: `${name}.${index}`, path: `${name}[${index}].steps`, steps: block.steps });
    }
  }
  for (const name of LISTS) {
    const steps = Object.hasOwn(step, name) ? step[name] : undefined;
    if (Array.isArray(steps)) blocks.push({ key: name, path: name, steps });
  }
  return blocks;
}
