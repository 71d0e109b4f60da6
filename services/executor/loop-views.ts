import type { LoopView } from '../../contracts/executions/loop-view';
import type { LoopProgress, StepIndex } from './step-index';
import type { StepIndexes } from './step-indexes';
import type { StepRow } from './step-rows';

/** The progress of a loop; nothing for a step that is none, or has not begun. */
export async function loopView(
  indexes: Pick<StepIndexes, 'totalOf'>,
  id: string,
  index: StepIndex,
  { path, begun }: StepRow,
): Promise<{ loop?: LoopView }> {
  const loop = index.loops.get(path);
  if (loop === undefined || begun === null) return {};
  const total = await indexes.totalOf(id, loop);
  const steps = Object.fromEntries([...loop.steps].filter(([, count]) => count > 0));
  return { loop: { total, begun: loop.numbers.size, ended: endedOf(loop, begun.summary.endedAt !== null), steps } };
}

/** Iterations have no end of their own: all but the last of an open loop have ended. */
const endedOf = (loop: LoopProgress, isOver: boolean): number =>
  loop.kind === 'foreach' ? loop.ended : Math.max(0, loop.numbers.size - (isOver ? 0 : 1));
