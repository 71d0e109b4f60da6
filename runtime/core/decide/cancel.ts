import { blockPath, type PreparedBlock } from '../../../dsl';
import { openTries } from '../state/fold';
import type { DecisionBuilder } from './decision-builder';

/** True when a path is inside a step or block. The outermost block is the empty text. */
const isDescendant = (path: string, outer: string): boolean => outer === '' || path.startsWith(`${outer}/`);

const depthOf = (path: string): number => path.split('/').length;

/**
 * Cancels the open steps inside a step or block, innermost first. `keptTries` are steps whose `finally` has still to
 * run or is running: these, their ancestors and their `finally` stay open.
 */
export function cancelInside(run: DecisionBuilder, outer: string, keptTries: readonly string[] = []): void {
  const { state, now, decision } = run;
  const isCancelled = (path: string): boolean =>
    isDescendant(path, outer) &&
    !keptTries.some(
      (kept) => kept === path || isDescendant(kept, path) || isDescendant(path, blockPath(kept, 'finally')),
    );
  const inFlight = [...state.inFlight].filter(isCancelled);
  const open = [...state.open].filter(isCancelled);
  const cancelled = new Set([...inFlight.filter((path) => !state.open.has(path)), ...open]);
  for (const path of inFlight) {
    decision.commands.push({ kind: 'abort', path });
    state.inFlight.delete(path);
  }
  for (const [child, path] of state.children)
    if (cancelled.has(path)) decision.commands.push({ kind: 'cancel_child', child });
  for (const path of [...cancelled].sort((a, b) => depthOf(b) - depthOf(a)))
    run.emit({ kind: 'step.cancelled', path, at: now });
}

/**
 * Ends everything inside a step or block: cancels all steps, but runs each `finally`, one after the other, whether or
 * not it fails. Returns true when nothing is open any more.
 */
export function settleInside(
  run: DecisionBuilder,
  outer: string,
  isOver: (block: PreparedBlock, path: string) => boolean,
): boolean {
  const tries = openTries(run.state)
    .filter((path) => path === outer || isDescendant(path, outer))
    .reverse();
  if (tries.length > 0) {
    cancelInside(run, outer, tries);
    for (const path of tries) {
      const block = run.stepAt(path).blocks.get('finally');
      if (block !== undefined && !isOver(block, blockPath(path, 'finally'))) return false;
    }
  }
  cancelInside(run, outer);
  return true;
}
