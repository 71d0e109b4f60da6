import type { PreparedPlan, PreparedStep } from '../../dsl';
import { showsTextOf } from './shows';

/** Blocks of a step that stand in its place: the run goes on behind them, with their output. */
const IN_ITS_PLACE = /^(?:cases\.\d+|else|steps)$/;

/**
 * Whether a step is the last of its workflow, whose text is what the run has to say: by its place, the last of the
 * outermost steps, or the last of a block of a `branch` or `try` that is the last; and by the output of the run, which
 * has that text in it. Strangers hear it who see of a run no more than its output.
 */
export function speaks({ root, output }: Pick<PreparedPlan, 'root' | 'output'>, path: string): boolean {
  let last = root.steps.at(-1);
  const ids = new Set<string>();
  while (last !== undefined) {
    ids.add(last.def.id);
    if (last.path === path) return showsTextOf(output, ids);
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
