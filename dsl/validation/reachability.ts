import { DOCUMENT_ON_ERROR } from '../step-path';
import { comesBefore } from './needs';
import { chainOf, type StepNode } from './document-index';

/** Why a step cannot read the output of another one, as a predicate after "the step x", and how to fix it. */
export interface Unreachable {
  readonly reason: string;
  readonly hint: string;
}

const EARLIER = 'use steps that come before';
const unreachable = (reason: string, hint = EARLIER): Unreachable => ({ reason, hint });

/**
 * Why the output of `target` is unavailable to an expression of the step `from`; null when it is available, even if it
 * may be absent. `whileCondition`: the expression is the condition of a while, which is evaluated after an iteration.
 *
 * Outputs belong to the nearest foreach item, else to the run. Within those a step sees the outputs of steps that have
 * settled before it begins and, inside a while, those of the previous iteration.
 */
export function unreachableFrom(from: StepNode, target: StepNode, whileCondition = false): Unreachable | null {
  const [path, targetPath] = [chainOf(from), chainOf(target)];
  // The deepest list that contains both, and the steps of that list that contain each.
  const common = path.findLastIndex((node, index) => node.list === targetPath[index]?.list);
  const [here, there] = [path[common], targetPath[common]];
  if (here === undefined || there === undefined) return acrossLists(path, targetPath);
  const below = targetPath.slice(common + 1);
  if (below[0]?.list.holder === from) {
    const done = whileCondition ? below[0].list.key === 'steps' : repeats(path, common);
    return done ? closedOff(below) : unreachable('is inside this step, and runs after it');
  }
  // Compensation runs at the end of the run and may use all earlier outputs.
  if (path.slice(common + 1).some(({ list }) => list.key === 'compensate')) return unreachableItem(below);
  const closed = closedOff(below);
  if (closed !== null) return closed;
  const reason = here === there ? within(path, targetPath, common) : beside(here, there);
  return repeats(path, common) && !sideBySide(path, targetPath, common) ? null : reason;
}

/** For a step of the workflow and one of the document's own `on_error`. */
function acrossLists(path: readonly StepNode[], targetPath: readonly StepNode[]): Unreachable | null {
  if (path[0]?.list.key !== DOCUMENT_ON_ERROR) return unreachable('runs only when the run fails');
  return unreachableItem(targetPath);
}

/** Why no step outside a loop may use the output; null when no loop is in between. */
function unreachableItem(below: readonly StepNode[]): Unreachable | null {
  const item = below.find(isItem);
  return item === undefined ? null : insideLoop(item);
}

/** Why no step outside may use the output; null when it may. */
function closedOff(below: readonly StepNode[]): Unreachable | null {
  for (const node of below) {
    if (isItem(node)) return insideLoop(node);
    if (node.list.key === 'compensate') return unreachable('runs only when the run is undone');
  }
  return null;
}

const insideLoop = ({ list: { holder } }: StepNode): Unreachable =>
  unreachable(`is inside the loop ${holder?.id}`, `after the loop there is steps.${holder?.id}.results`);

const isItem = ({ list }: StepNode): boolean => list.key === 'steps' && list.holder?.control === 'foreach';

/** True when a while, in the same foreach item, repeats the list at `common`. */
function repeats(path: readonly StepNode[], common: number): boolean {
  for (const node of path.slice(0, common + 1).reverse()) {
    if (isItem(node)) return false;
    if (node.list.key === 'steps' && node.list.holder?.control === 'while') return true;
  }
  return false;
}

/** For two steps that are, or are inside, the same step of the common list. */
function within(path: readonly StepNode[], targetPath: readonly StepNode[], common: number): Unreachable | null {
  const [key, targetKey] = [path[common + 1]?.list.key, targetPath[common + 1]?.list.key];
  if (key === undefined) return unreachable('is this step itself');
  if (targetKey === undefined) return key === 'on_error' ? null : unreachable('holds this step, and ends after it');
  if (key === 'on_error') return null;
  if (key === 'catch' && targetKey === 'steps') return null;
  if (key === 'finally' && (targetKey === 'steps' || targetKey === 'catch')) return null;
  return isAlternative(key) && isAlternative(targetKey)
    ? unreachable('is in another branch')
    : unreachable('runs after this step');
}

const isAlternative = (key: string): boolean => key === 'else' || key.includes('.');

/** For two steps that are, or are inside, different steps of one list. */
function beside(here: StepNode, there: StepNode): Unreachable | null {
  if (comesBefore(there, here)) return null;
  if (comesBefore(here, there)) return unreachable('runs after this step');
  return unreachable('may not have run when this step begins', `let the step ${here.id} need ${there.id}`);
}

/** True when the two run concurrently, so that neither can rely on the other. */
function sideBySide(path: readonly StepNode[], targetPath: readonly StepNode[], common: number): boolean {
  const [here, there] = [path[common], targetPath[common]];
  if (here === undefined || there === undefined) return false;
  if (here !== there) return !comesBefore(there, here) && !comesBefore(here, there);
  return here.control === 'parallel' && path.length > common + 1 && targetPath.length > common + 1;
}

/** Why the output of the run cannot use a step; null when it can. */
export function unreachableFromOutput(target: StepNode): Unreachable | null {
  const chain = chainOf(target);
  return chain[0]?.list.key === DOCUMENT_ON_ERROR ? unreachable('runs only when the run fails') : closedOff(chain);
}
