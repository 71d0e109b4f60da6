import { blockPath, type PreparedBlock } from '../../dsl';
import { openTries } from '../record/fold';
import type { Turn } from './turn';

/** Whether a path lies inside of a step or block; the outermost block is the empty text. */
const isInside = (path: string, outer: string): boolean => outer === '' || path.startsWith(`${outer}/`);

const depthOf = (path: string): number => path.split('/').length;

/**
 * Cancels what is under way inside of a step or block, the innermost first. `spared` are steps whose `finally` is still
 * to come, or under way: that goes on, and what it stands in stays.
 */
export function cancelInside(turn: Turn, outer: string, spared: readonly string[] = []): void {
  const { state, now, decision } = turn;
  const goes = (path: string): boolean =>
    isInside(path, outer) &&
    !spared.some((kept) => kept === path || isInside(kept, path) || isInside(path, blockPath(kept, 'finally')));
  const flying = [...state.flights].filter(goes);
  const begun = [...state.open].filter(goes);
  const going = new Set([...flying.filter((path) => !state.open.has(path)), ...begun]);
  for (const path of flying) {
    decision.commands.push({ kind: 'abort', path });
    state.flights.delete(path);
  }
  for (const [child, path] of state.children)
    if (going.has(path)) decision.commands.push({ kind: 'cancel_child', child });
  for (const path of [...going].sort((a, b) => depthOf(b) - depthOf(a)))
    turn.emit({ kind: 'step.cancelled', path, at: now });
}

/**
 * Brings what is under way inside of a step or block to its end: all is cancelled, but what says `finally` has its turn,
 * one after the other, whether or not it fails. True when nothing is under way any more.
 */
export function clear(turn: Turn, outer: string, isOver: (block: PreparedBlock, path: string) => boolean): boolean {
  const tries = openTries(turn.state)
    .filter((path) => path === outer || isInside(path, outer))
    .reverse();
  if (tries.length > 0) {
    cancelInside(turn, outer, tries);
    for (const path of tries) {
      const block = turn.stepAt(path).blocks.get('finally');
      if (block !== undefined && !isOver(block, blockPath(path, 'finally'))) return false;
    }
  }
  cancelInside(turn, outer);
  return true;
}
