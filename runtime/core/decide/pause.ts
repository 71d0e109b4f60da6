import type { PauseRequest } from '../model';
import type { RunState } from '../state/state';
import { recover } from './apply-result';
import type { DecisionBuilder } from './decision-builder';

/** Keeps the newest request. Reads may be answered out of order. */
export function noteRequest(state: RunState, request: PauseRequest | null): void {
  if (request !== null && request.rev > (state.pauseRequest?.rev ?? 0)) state.pauseRequest = request;
}

/** Pauses or resumes a run as last requested. */
export function applyPauseRequest(run: DecisionBuilder): void {
  const { state, now: at } = run;
  const { pauseRequest: request, paused } = state;
  if (request === null) return;
  const { kind, rev, by, reason } = request;
  if (kind === 'pause' && paused?.rev !== rev) run.emit({ kind: 'run.paused', at, rev, by, reason });
  if (kind === 'resume' && paused !== null) {
    run.emit({ kind: 'run.resumed', at, rev, by, reason });
    for (const path of state.open) recover(run, path);
  }
}
