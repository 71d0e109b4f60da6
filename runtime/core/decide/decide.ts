/**
 * The rules of a run. Owns: what happens next. Does not own: execution, storage, time, randomness.
 *
 *  D1  `decide` returns entries and commands. It has folded the entries into the state; folding them into an empty
 *      state gives the same state, except its volatile part.
 *  D2  Every change of a step is an entry. `inFlight` only lists the attempts in progress on this host.
 *  D3  The result of an attempt that is not in flight (its run has ended, or it was aborted) changes nothing.
 *  D4  Nothing follows `run.ended`.
 *  D5  A message is consumed by at most one entry, and that entry names it.
 *  D6  Between `run.paused` and `run.resumed` or `run.closing` nothing begins: no step, attempt, iteration or item. What
 *      was in flight is recorded when it ends; waits and delays that end meanwhile take effect afterwards.
 */
import { blockOf, loopsOf } from '../../../dsl';
import { bySentAt, CANCEL, type RunState } from '../state/state';
import type { RunError } from '../entries/entry';
import { cleanUp, close, end, endClosing, finish } from './conclude';
import { deadlineOf } from './due';
import type { ReusedEntry } from '../reuse/reuse';
import type { RunEvent } from './event';
import { runError } from './failure';
import type { DecisionInputs } from '../state/run-context';
import { recover, applyResult, wake } from './apply-result';
import { type Decision, type Rules, DecisionBuilder } from './decision-builder';
import { applyPauseRequest, noteRequest } from './pause';
import { reasonOf } from './waits';
import { walkBlock } from '../walk/block';
import { askAgain } from '../state/connection-wait';
import { forgetPending } from '../walk/evaluate';

/**
 * Size limit of a history. Without it, one run with large outputs fills the memory of its host and of every later host.
 */
const MAX_HISTORY_CHARS = 64 * 1024 * 1024;

/** Returns the decision about an event. Never throws: an error in an expression fails its step. */
export function decide(rules: Rules, state: RunState, event: RunEvent, at: DecisionInputs): Decision {
  const run = new DecisionBuilder(rules, state, at);
  const wasPaused = state.paused !== null;
  if (state.ended === null) applyEvent(run, event);
  if (state.ended === null && event.kind !== 'reuse') advance(run, event);
  if (state.ended === null && state.closing !== null && wasPaused) continueHeld(run);
  return run.decision;
}

function applyEvent(run: DecisionBuilder, event: RunEvent): void {
  const { state } = run;
  switch (event.kind) {
    case 'resume':
      forgetPending(state);
      askAgain(state, run.now);
      for (const path of state.open) recover(run, path);
      return;
    case 'reuse':
      for (const entry of event.entries) reuse(run, entry, event.from);
      return;
    case 'result':
      if (state.inFlight.delete(event.path)) applyResult(run, event);
      return;
    case 'held':
      state.inFlight.delete(event.path);
      recover(run, event.path);
      return;
    case 'messages':
      noteRequest(state, event.pause ?? null);
      askAgain(state, run.now);
      for (const message of event.messages) {
        const known =
          state.consumedMessageIds.has(message.id) || state.messages.some((other) => other.id === message.id);
        if (!known) state.messages.push(message);
      }
      state.messages.sort(bySentAt);
      return;
    case 'refused':
      if (state.steps.size === 0) end(run, 'cancelled', null, event.error);
      return;
    case 'due':
      return;
  }
}

/** A cleanup ends a pause: steps of a running `finally` that the pause has held back go on. */
function continueHeld(run: DecisionBuilder): void {
  for (const path of run.state.open) {
    recover(run, path);
    wake(run, path);
  }
  cleanUp(run);
}

function reuse(run: DecisionBuilder, entry: ReusedEntry, from: string): void {
  const at = run.now;
  const about = { path: entry.path, attempt: 0, at, started: at, input: null };
  if (entry.kind === 'step.completed') run.complete(about, entry.output, { from });
  else if (entry.kind === 'step.failed') run.emit({ ...entry, ...about, from });
  else run.emit({ ...entry, at, from });
}

/** In this order: cancellation, limits of the run, a pause, due waits and retries, then the steps. */
function advance(run: DecisionBuilder, event: RunEvent): void {
  const { state, plan } = run;
  const limit = deadlineOf(run.rules.context, state);
  const late = limit !== null && limit <= run.now;
  if (state.closing !== null) {
    if (late || state.size > 2 * MAX_HISTORY_CHARS) return endClosing(run);
    for (const path of state.open) wake(run, path);
    noteMoved(run, event);
    return cleanUp(run);
  }
  const cancelled = state.messages.find((message) => message.name === CANCEL);
  if (cancelled !== undefined) return close(run, 'cancelled', reasonOf(cancelled));
  if (late) return close(run, 'failed', LATE);
  if (state.size > MAX_HISTORY_CHARS) return close(run, 'failed', TOO_LARGE);
  applyPauseRequest(run);
  if (state.paused === null) for (const path of state.open) wake(run, path);
  noteMoved(run, event);
  if (state.paused !== null) return;
  const walked = walkBlock(run, plan.root, '');
  if (walked.kind === 'done') finish(run);
  if (walked.kind === 'failed') close(run, 'failed', runError(walked.failure));
}

/**
 * Marks the items of loops in which a step may have become ready. Time, messages and a new host may affect any step; the
 * result of an attempt affects its step, and those woken with it.
 */
function noteMoved({ state, decision }: DecisionBuilder, event: RunEvent): void {
  if (state.loops.size === 0) return;
  if (event.kind !== 'result')
    for (const { active, moved } of state.loops.values()) for (const index of active) moved.add(index);
  else
    for (const path of [event.path, ...decision.entries.flatMap((entry) => ('path' in entry ? [entry.path] : []))])
      for (const { block, index } of loopsOf(path)) state.loops.get(blockOf(block))?.moved.add(index);
}

const LATE: RunError = {
  code: 'timed_out',
  message: 'The run exceeded its timeout',
  step_id: null,
};

const TOO_LARGE: RunError = {
  code: 'run_too_large',
  message: `The inputs and outputs of the steps exceed ${MAX_HISTORY_CHARS / 1024 / 1024} MiB in total; reduce what steps fetch or return`,
  step_id: null,
};
