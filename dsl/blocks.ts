import { isObject } from '../lib/json';

/** A list of steps written inside a step. `key` names it in step paths, `path` in messages about the document. */
export interface Block {
  readonly key: string;
  readonly path: string;
  readonly steps: readonly unknown[];
}

const LISTS = ['steps', 'else', 'catch', 'finally'] as const;
const LISTS_OF_BLOCKS = ['cases', 'branches'] as const;

/** The blocks of a step: `steps`, `else`, `catch`, `finally`, and the steps of each of `cases` and `branches`. */
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
