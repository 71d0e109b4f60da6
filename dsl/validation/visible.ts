import { DOCUMENT_ON_ERROR } from '../place';
import { comesBefore } from './needs';
import { chainOf, type Site } from './outline';

/** Why the output of a step is not there, as what follows "the step x", and what to do about it. */
export interface Hidden {
  readonly reason: string;
  readonly hint: string;
}

const EARLIER = 'use steps that come before';
const hidden = (reason: string, hint = EARLIER): Hidden => ({ reason, hint });

/**
 * Why the output of `target` cannot be there for an expression of the step `from`; null when it can, even if it may be
 * absent. `turn`: the expression is the condition of a while, which sees what the last turn has done.
 *
 * Outputs belong to the nearest foreach item, else to the run. Within those a step sees what has settled before it
 * begins and, inside a while, what the turn before has left.
 */
export function hiddenFrom(from: Site, target: Site, turn = false): Hidden | null {
  const [path, targetPath] = [chainOf(from), chainOf(target)];
  // The deepest list that both are in, and the steps of it that they are, or are in.
  const common = path.findLastIndex((site, index) => site.list === targetPath[index]?.list);
  const [here, there] = [path[common], targetPath[common]];
  if (here === undefined || there === undefined) return acrossLists(path, targetPath);
  const below = targetPath.slice(common + 1);
  if (below[0]?.list.holder === from) {
    const done = turn ? below[0].list.key === 'steps' : repeats(path, common);
    return done ? closedOff(below) : hidden('is inside this step, and runs after it');
  }
  // What is undone at the end of the run may use all that has been done, and undone, before.
  if (path.slice(common + 1).some(({ list }) => list.key === 'compensate')) return hiddenItem(below);
  const closed = closedOff(below);
  if (closed !== null) return closed;
  const reason = here === there ? within(path, targetPath, common) : beside(here, there);
  return repeats(path, common) && !sideBySide(path, targetPath, common) ? null : reason;
}

/** Of a step of the workflow and one of the document's own `on_error`. */
function acrossLists(path: readonly Site[], targetPath: readonly Site[]): Hidden | null {
  if (path[0]?.list.key !== DOCUMENT_ON_ERROR) return hidden('runs only when the run fails');
  return hiddenItem(targetPath);
}

/** Why no step outside of a loop may use what is below; null when no loop closes it off. */
function hiddenItem(below: readonly Site[]): Hidden | null {
  const item = below.find(isItem);
  return item === undefined ? null : insideLoop(item);
}

/** Why no step outside may use what is below; null when it may. */
function closedOff(below: readonly Site[]): Hidden | null {
  for (const site of below) {
    if (isItem(site)) return insideLoop(site);
    if (site.list.key === 'compensate') return hidden('runs only when the run is undone');
  }
  return null;
}

const insideLoop = ({ list: { holder } }: Site): Hidden =>
  hidden(`is inside the loop ${holder?.id}`, `after the loop there is steps.${holder?.id}.results`);

const isItem = ({ list }: Site): boolean => list.key === 'steps' && list.holder?.control === 'foreach';

/** Whether a while, in the same foreach item, goes around the list at `common` again and again. */
function repeats(path: readonly Site[], common: number): boolean {
  for (const site of path.slice(0, common + 1).reverse()) {
    if (isItem(site)) return false;
    if (site.list.key === 'steps' && site.list.holder?.control === 'while') return true;
  }
  return false;
}

/** Of two steps that are, or are inside, the same step of the common list. */
function within(path: readonly Site[], targetPath: readonly Site[], common: number): Hidden | null {
  const [key, targetKey] = [path[common + 1]?.list.key, targetPath[common + 1]?.list.key];
  if (key === undefined) return hidden('is this step itself');
  if (targetKey === undefined) return key === 'on_error' ? null : hidden('holds this step, and ends after it');
  if (key === 'on_error') return null;
  if (key === 'catch' && targetKey === 'steps') return null;
  if (key === 'finally' && (targetKey === 'steps' || targetKey === 'catch')) return null;
  return isAlternative(key) && isAlternative(targetKey)
    ? hidden('is in another branch')
    : hidden('runs after this step');
}

const isAlternative = (key: string): boolean => key === 'else' || key.includes('.');

/** Of two steps that are, or are inside, different steps of one list. */
function beside(here: Site, there: Site): Hidden | null {
  if (comesBefore(there, here)) return null;
  if (comesBefore(here, there)) return hidden('runs after this step');
  return hidden('may not have run when this step begins', `let the step ${here.id} need ${there.id}`);
}

/** Whether the two run at the same time, so that neither can know how far the other is. */
function sideBySide(path: readonly Site[], targetPath: readonly Site[], common: number): boolean {
  const [here, there] = [path[common], targetPath[common]];
  if (here === undefined || there === undefined) return false;
  if (here !== there) return !comesBefore(there, here) && !comesBefore(here, there);
  return here.control === 'parallel' && path.length > common + 1 && targetPath.length > common + 1;
}

/** Why the output of the run cannot use a step; null when it can. */
export function hiddenFromOutput(target: Site): Hidden | null {
  const chain = chainOf(target);
  return chain[0]?.list.key === DOCUMENT_ON_ERROR ? hidden('runs only when the run fails') : closedOff(chain);
}
