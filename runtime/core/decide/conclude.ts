/**
 * Ends a run. Owns: what is cleaned up before the end, and in which order. Does not own: why it ends.
 *
 * A run that fails or is cancelled, and has something to clean up, is closing first: open steps are cancelled, then the
 * `compensate` blocks of completed steps and the `finally` blocks of open steps run, one after the other, last first,
 * whether or not they fail; then the document's `on_error`, if the run failed.
 */
import { blockPath, DOCUMENT_ON_ERROR } from '../../../dsl';
import type { Json } from '../../../lib/json';
import type { EndStatus, RunError } from '../entries/entry';
import { openTries } from '../state/fold';
import type { Cleanup } from '../state/state';
import { cancelInside } from './cancel';
import type { DecisionBuilder } from './decision-builder';
import { lastOf, walkBlock } from '../walk/block';
import { evaluate } from '../walk/evaluate';

/** Ends a run whose last step has settled. */
export function finish(run: DecisionBuilder): void {
  const { plan, state } = run;
  if (plan.output === null) return end(run, 'completed', lastOf(state, plan.root, '')?.output ?? null, null);
  const found = evaluate(run, plan.output, '', 'The output of the run');
  if (found.kind === 'value') end(run, 'completed', found.value, null);
  if (found.kind === 'refused') close(run, 'failed', { ...found.error, step_id: null });
}

/** Ends a run as failed or cancelled, after cleanup. */
export function close(run: DecisionBuilder, status: 'failed' | 'cancelled', error: RunError | null): void {
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

/** Continues the cleanup of a closing run; ends the run when nothing is left. */
export function cleanUp(run: DecisionBuilder): void {
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

/** Ends a closing run with the status already decided, and cancels what is still open. */
export function endClosing(run: DecisionBuilder): void {
  const { closing } = run.state;
  if (closing !== null) end(run, closing.status, null, closing.error);
}

/** Aborts attempts in flight, cancels waiting steps, and records the end. */
export function end(run: DecisionBuilder, status: EndStatus, output: Json, error: RunError | null): void {
  cancelInside(run, '');
  run.emit({ kind: 'run.ended', at: run.now, status, output, error });
}

/** Key of the cursor of the cleanup; no block has this path. */
const CLEANUP = '.cleanup';

function needsCleanup({ plan, state }: DecisionBuilder, status: EndStatus): boolean {
  if (state.undoables.length > 0 || (status === 'failed' && plan.onError !== null)) return true;
  return openTries(state).length > 0;
}

function isOver(run: DecisionBuilder, { key, path }: Cleanup): boolean {
  const block = run.stepAt(path).blocks.get(key);
  return block === undefined || walkBlock(run, block, blockPath(path, key)).kind !== 'open';
}
