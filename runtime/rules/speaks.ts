import type { PreparedPlan, PreparedStep } from '../../dsl';

/** Blocks of a step that stand in its place: the run goes on behind them, with their output. */
const IN_ITS_PLACE = /^(?:cases\.\d+|else|steps)$/;

/**
 * Whether a step is the last of its workflow, whose text is what the run has to say: by its place, the last of the
 * outermost steps, or the last of a block of a `branch` or `try` that is the last.
 */
export function speaks({ root }: Pick<PreparedPlan, 'root'>, path: string): boolean {
  let last = root.steps.at(-1);
  while (last !== undefined) {
    if (last.path === path) return true;
    last = lastInside(last, path);
  }
  return false;
}

/** The last step of the block that a path leads into; undefined where that block is not the step's way to go on. */
function lastInside({ control, blocks, path: own }: PreparedStep, path: string): PreparedStep | undefined {
  if (control?.kind !== 'branch' && control?.kind !== 'try') return undefined;
  if (!path.startsWith(`${own}/`)) return undefined;
  const key = path.slice(own.length + 1).split('/')[0] as string;
  return IN_ITS_PLACE.test(key) ? blocks.get(key)?.steps.at(-1) : undefined;
}
