/**
 * The rules of a run. Owns: what happens next. Does not own: doing it, writing it down, time, chance.
 *
 *  D1  `decide` answers entries and commands; it has already folded its entries into the state, and folding the same
 *      entries into an empty state gives the same state but for its volatile part.
 *  D2  Every change of a step is an entry. `flights` only says what this host is doing at the moment.
 *  D3  A settled attempt that is not in flight (its run has ended, or it was aborted) changes nothing.
 *  D4  After `run.ended` nothing follows.
 *  D5  A message is taken by at most one entry, and that entry names it.
 */
import { bySending, CANCEL, type RunState } from '../record/state';
import type { RunError } from '../record/entry';
import { cleanUp, close, end, endClosing, finish } from './conclude';
import { limitOf } from './due';
import type { Taken } from './inherit';
import type { RunEvent } from './event';
import { runError } from './failure';
import type { Circumstances } from './scope';
import { recover, settle, wake } from './settle';
import { type Decision, type Rules, Turn } from './turn';
import { reasonOf } from './waits';
import { walkBlock } from './walk/block';

/**
 * Longest history of a run, in characters. Without a bound, one run of large outputs fills the memory of its host, and
 * of every host that takes it on afterwards.
 */
export const HISTORY_LIMIT = 64 * 1024 * 1024;

/** Says what follows from an event. Never throws: a fault of an expression fails its step. */
export function decide(rules: Rules, state: RunState, event: RunEvent, at: Circumstances): Decision {
  const run = new Turn(rules, state, at);
  if (state.ended === null) take(run, event);
  if (state.ended === null && event.kind !== 'inherit') goOn(run, event);
  return run.decision;
}

function take(run: Turn, event: RunEvent): void {
  const { state } = run;
  switch (event.kind) {
    case 'resume':
      for (const path of state.open) recover(run, path);
      return;
    case 'inherit':
      for (const entry of event.taken) takeOver(run, entry, event.from);
      return;
    case 'settled':
      if (state.flights.delete(event.path)) settle(run, event);
      return;
    case 'mail':
      for (const mail of event.mail) {
        const known = state.taken.has(mail.id) || state.mail.some((other) => other.id === mail.id);
        if (!known) state.mail.push(mail);
      }
      state.mail.sort(bySending);
      return;
    case 'refused':
      if (state.steps.size === 0) end(run, 'cancelled', null, event.error);
      return;
    case 'due':
      return;
  }
}

function takeOver(run: Turn, entry: Taken, from: string): void {
  const at = run.now;
  const about = { path: entry.path, attempt: 0, at, started: at, input: null };
  if (entry.kind === 'step.completed') run.complete(about, entry.output, { from });
  else if (entry.kind === 'step.failed') run.emit({ ...entry, ...about, from });
  else run.emit({ ...entry, at, from });
}

/** Cancellation, then the limits of the run, then waits and retries that are due, then the steps in their order. */
function goOn(run: Turn, event: RunEvent): void {
  const { state, plan } = run;
  const limit = limitOf(run.rules.facts, state);
  const late = limit !== null && limit <= run.now;
  if (state.closing !== null) {
    if (late || state.size > 2 * HISTORY_LIMIT) return endClosing(run);
    for (const path of state.open) wake(run, path);
    run.touched = touchedBy(run, event);
    return cleanUp(run);
  }
  const cancelled = state.mail.find((mail) => mail.name === CANCEL);
  if (cancelled !== undefined) return close(run, 'cancelled', reasonOf(cancelled));
  if (late) return close(run, 'failed', LATE);
  if (state.size > HISTORY_LIMIT) return close(run, 'failed', TOO_LARGE);
  for (const path of state.open) wake(run, path);
  run.touched = touchedBy(run, event);
  const walked = walkBlock(run, plan.root, '');
  if (walked.kind === 'done') finish(run);
  if (walked.kind === 'failed') close(run, 'failed', runError(walked.failure));
}

/** Time, messages and a new host may move anything; the end of an attempt moves its step, and those that woke with it. */
const touchedBy = ({ decision }: Turn, event: RunEvent): readonly string[] | null =>
  event.kind === 'settled'
    ? [event.path, ...decision.entries.flatMap((entry) => ('path' in entry ? [entry.path] : []))]
    : null;

const LATE: RunError = {
  code: 'timed_out',
  message: 'The run took longer than its timeout allows',
  step_id: null,
};

const TOO_LARGE: RunError = {
  code: 'run_too_large',
  message: `The inputs and outputs of the steps have more than ${HISTORY_LIMIT / 1024 / 1024} MiB together; let steps fetch, or put out, less`,
  step_id: null,
};
