/**
 * How a run comes to its end. Owns: what is cleaned up before, and in which order. Does not own: why it ends.
 *
 * A run that has failed, or was cancelled, and has something to clean up, is closing first: what is under way is
 * cancelled, then the blocks `compensate` of what was done and `finally` of what had begun have their turn, one after
 * the other, the last first, whether or not they fail; then the document's `on_error`, if it failed.
 */
import { blockPath, DOCUMENT_ON_ERROR, render } from '../../dsl';
import { errorMessage } from '../../lib/errors';
import type { Json } from '../../lib/json';
import type { EndStatus, RunError } from '../record/entry';
import { openTries } from '../record/fold';
import type { Cleanup } from '../record/state';
import { cancelInside } from './cancel';
import type { Turn } from './turn';
import { lastOf, walkBlock } from './walk/block';

/** Ends a run whose last step has settled. */
export function finish(run: Turn): void {
  const { plan, state } = run;
  try {
    const output =
      plan.output === null ? (lastOf(state, plan.root, '')?.output ?? null) : render(plan.output, run.env(''));
    end(run, 'completed', output, null);
  } catch (fault) {
    const message = `The output of the run cannot be evaluated: ${errorMessage(fault)}`;
    close(run, 'failed', { code: 'expression', message, step_id: null });
  }
}

/** Ends a run that has come to nothing; what has to be cleaned up comes first. */
export function close(run: Turn, status: 'failed' | 'cancelled', error: RunError | null): void {
  if (!needsCleanup(run, status)) return end(run, status, null, error);
  run.emit({ kind: 'run.closing', at: run.now, status, error });
  const { cleanup } = run.state;
  cancelInside(
    run,
    '',
    cleanup.filter(({ key }) => key === 'finally').map(({ path }) => path),
  );
  cleanUp(run);
}

/** Goes on with a run that is closing; ends it when nothing is left to be done. */
export function cleanUp(run: Turn): void {
  const { state, plan } = run;
  const { closing, cleanup, cursors } = state;
  for (let index = cursors.get(CLEANUP) ?? 0; index < cleanup.length; index++) {
    if (!isOver(run, cleanup[index] as Cleanup)) return;
    cursors.set(CLEANUP, index + 1);
  }
  const handled =
    closing?.status !== 'failed' ||
    plan.onError === null ||
    walkBlock(run, plan.onError, DOCUMENT_ON_ERROR).kind !== 'open';
  if (handled) endClosing(run);
}

/** Ends a run that is closing as it was to end, whatever is still under way. */
export function endClosing(run: Turn): void {
  const { closing } = run.state;
  if (closing !== null) end(run, closing.status, null, closing.error);
}

/** Nothing of the run goes on: flights are aborted, what waits is cancelled, then the last entry is made. */
export function end(run: Turn, status: EndStatus, output: Json, error: RunError | null): void {
  cancelInside(run, '');
  run.emit({ kind: 'run.ended', at: run.now, status, output, error });
}

/** Where it is remembered how much of the cleaning up is behind; no block has this path. */
const CLEANUP = '.cleanup';

function needsCleanup({ plan, state }: Turn, status: EndStatus): boolean {
  if (state.undoables.length > 0 || (status === 'failed' && plan.onError !== null)) return true;
  return openTries(state).length > 0;
}

function isOver(run: Turn, { key, path }: Cleanup): boolean {
  const block = run.stepAt(path).blocks.get(key);
  return block === undefined || walkBlock(run, block, blockPath(path, key)).kind !== 'open';
}
