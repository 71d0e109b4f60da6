import type { PreparedPlan, PreparedStep } from '../../../dsl';
import { outputExposes } from './output-exposes';

/** Blocks whose last output is the output of their step. */
const IN_ITS_PLACE = /^(?:cases\.\d+|else|steps)$/;

/**
 * True when the text of a step becomes the output of the run, so that it may be streamed: the step is the last of the
 * workflow, or the last of a block of a `branch` or `try` that is the last, and the run's output exposes its text.
 * Subscribers without further rights may see only the output of a run.
 */
export function streamsRunOutput({ root, output }: Pick<PreparedPlan, 'root' | 'output'>, path: string): boolean {
  let last = root.steps.at(-1);
  const ids = new Set<string>();
  while (last !== undefined) {
    ids.add(last.def.id);
    if (last.path === path) return outputExposes(output, ids);
    last = lastInside(last, path);
  }
  return false;
}

/** The last step of the block that a path leads into; undefined when its output is not that of the step. */
function lastInside({ control, blocks, path: own }: PreparedStep, path: string): PreparedStep | undefined {
  if (control?.kind !== 'branch' && control?.kind !== 'try') return undefined;
  if (!path.startsWith(`${own}/`)) return undefined;
  const key = path.slice(own.length + 1).split('/')[0] as string;
  return IN_ITS_PLACE.test(key) ? blocks.get(key)?.steps.at(-1) : undefined;
}
