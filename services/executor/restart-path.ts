import { blockOf, itemPath, iterationPath, planPath, type PreparedPlan, stepPath } from '../../dsl';

/** A step with the number of an item or iteration, as in `each[17]/charge`. */
const NUMBERED = /^([A-Za-z][\w-]*)\[(\d{1,6})\]$/;

/**
 * Where a retry restarts: the id of a step, or the path of a step in an item of a loop, as records of steps have it
 * (`each/steps[17]/charge`) or without the block (`each[17]/charge`). Null when the plan has no such step.
 */
export function restartPlace({ byPath }: PreparedPlan, given: string): string | null {
  if ([...byPath.values()].some(({ def }) => def.id === given)) return given;
  let path = '';
  for (const part of given.split('/')) {
    const [, id, number] = NUMBERED.exec(part) ?? [];
    // Blocks have numbers of their own: `steps[17]`.
    const isLoop = id !== undefined && byPath.has(planPath(stepPath(path, id)));
    path = stepPath(path, isLoop ? id : part);
    if (!isLoop) continue;
    const place = byPath.get(planPath(path))?.control?.kind === 'while' ? iterationPath : itemPath;
    path = place(path, Number(number));
  }
  return blockOf(path) !== '' && byPath.has(planPath(path)) ? path : null;
}
