/**
 * Transitions of single steps: results of attempts, ends of waits and retry delays, and recovery of interrupted
 * attempts.
 */
import { retryDelayMs, stepIdOf } from '../../../dsl';
import type { CheckpointedResult, StepError, Usage } from '../../../nodes/contract';
import type { Wait } from '../entries/entry';
import { close, end } from './conclude';
import type { AttemptResult, AttemptResultEvent } from './event';
import { findStep } from '../state/step-at';
import type { Attempt, DecisionBuilder } from './decision-builder';
import { connectionWaitAt } from '../state/connection-wait';
import { waitResult, messageFor, type WaitResult } from './waits';
import type { DecisionInputs } from '../state/run-context';

/** Records how an attempt ended. */
export function applyResult(
  run: DecisionBuilder,
  { path, attempt, started, input, outcome, instead, logs }: AttemptResultEvent,
): void {
  const recorded = run.state.steps.get(path)?.kind === 'running';
  const about: Attempt = {
    path,
    attempt,
    at: run.now,
    started,
    ...(recorded || input === undefined ? {} : { input }),
  };
  const withLogs: Attempt = logs === undefined ? about : { ...about, logs };
  switch (outcome.kind) {
    case 'done':
      return run.complete(withLogs, outcome.output, {
        ...usageOf(outcome),
        ...(instead === undefined ? {} : { instead }),
      });
    case 'wait':
      return run.emit({ kind: 'step.waiting', ...about, wait: outcome.wait, ...noteOf(outcome) });
    case 'hold':
      return hold(run, about, outcome);
    case 'noted':
      return recordResult(run, about, outcome.note, outcome.end);
    case 'stop':
      return stop(run, withLogs, outcome);
    case 'fail':
      return run.fail(
        { ...withLogs, ...usageOf(outcome) },
        outcome.error,
        outcome.retryable ? retryAt(run, path, outcome.retryAfterMs) : null,
      );
  }
}

/**
 * The step stops the whole run: no retry, no `on_error`, no `try`. It is one decision, so that no crash can split it.
 * While the run is closing its end is decided already: then only the step ends.
 */
function stop(run: DecisionBuilder, about: Attempt, outcome: Extract<AttemptResult, { kind: 'stop' }>): void {
  const closing = run.state.closing !== null;
  if ('error' in outcome) {
    run.fail(about, outcome.error);
    if (!closing) close(run, 'failed', { ...outcome.error, step_id: stepIdOf(about.path) });
  } else {
    run.complete(about, outcome.output);
    if (!closing) end(run, 'completed', outcome.output, null);
  }
}

/** The attempt waits for its connection. One that has asked before only asks again later. */
function hold(
  run: DecisionBuilder,
  about: Attempt,
  { connection, until }: { connection: string; until: number },
): void {
  if (connectionWaitAt(run.state, about.path) === null)
    run.emit({ kind: 'step.waiting', ...about, wait: { kind: 'connection', connection, until } });
  run.state.turns.set(about.path, until);
}

/** Continues an open step whose time has come or whose message has arrived. */
export function wake(run: DecisionBuilder, path: string): void {
  const { state } = run;
  const step = state.steps.get(path);
  if (step === undefined || state.inFlight.has(path)) return;
  if (step.kind === 'resumed' || (step.kind === 'retrying' && step.retryAt <= run.now))
    run.launch(path, step.attempt + 1);
  const turn = connectionWaitAt(state, path);
  // The same attempt: it has not begun yet.
  if (turn !== null && turn.until <= run.now && 'attempt' in step) run.launch(path, step.attempt);
  if (step.kind !== 'waiting') return;
  const message = messageFor(state, path, step);
  const ended = waitResult(step.wait, message, run.now);
  if (ended === null) return;
  if (message !== undefined) state.messages.splice(state.messages.indexOf(message), 1);
  const about = { path, attempt: step.attempt, at: run.now, started: step.since };
  if (step.rerun) endRerun(run, about, ended);
  else if (step.note !== undefined) recordResult(run, about, step.note, checkpointOf(ended), ended.messageId);
  else endWait(run, about, ended);
}

function endWait(run: DecisionBuilder, about: Attempt, ended: WaitResult): void {
  const attempt = ended.messageId === undefined ? about : { ...about, mail: ended.messageId };
  if (ended.kind === 'complete') run.complete(attempt, ended.output);
  else run.fail(attempt, ended.error, ended.retryable === true ? retryAt(run, about.path) : null);
}

/** Records the result as a checkpoint and runs the step again. */
function recordResult(
  run: DecisionBuilder,
  { path, attempt }: Attempt,
  key: string,
  value: CheckpointedResult,
  messageId?: string,
): void {
  run.emit({ kind: 'step.noted', path, attempt, at: run.now, key, value });
  resume(run, path, attempt, messageId);
}

const checkpointOf = (ended: WaitResult): CheckpointedResult =>
  ended.kind === 'complete' ? { ok: true, output: ended.output } : { ok: false, error: { ...ended.error } };

function resume(run: DecisionBuilder, path: string, attempt: number, messageId: string | undefined): void {
  run.emit({ kind: 'step.resumed', path, at: run.now, ...(messageId === undefined ? {} : { mail: messageId }) });
  run.launch(path, attempt + 1);
}

const usageOf = ({ usage }: { usage?: Usage }): { usage?: Usage } => (usage === undefined ? {} : { usage });

const noteOf = ({ note }: { note?: string }): { note?: string } => (note === undefined ? {} : { note });

function endRerun(run: DecisionBuilder, about: Attempt, ended: WaitResult): void {
  const { path, attempt } = about;
  if (ended.kind === 'complete' && ended.output.approved === true && ended.messageId !== undefined) {
    resume(run, path, attempt, ended.messageId);
  } else {
    const message = ended.messageId === undefined ? {} : { messageId: ended.messageId };
    endWait(run, about, { kind: 'fail', error: INTERRUPTED, ...message });
  }
}

/**
 * Recovers an attempt whose effect began and whose result is not recorded, by the recovery policy of the node type. One
 * that is in flight here needs no recovery. In a paused run, repetition waits until the run is resumed.
 */
export function recover(run: DecisionBuilder, path: string): void {
  if (run.state.inFlight.has(path)) return;
  const step = run.state.steps.get(path);
  const prepared = findStep(run.plan, path);
  if (step?.kind !== 'running' || prepared === undefined) return;
  const about: Attempt = { path, attempt: step.attempt, at: run.now, started: step.started };
  switch (run.rules.recoveryPolicy(prepared)) {
    case 'retry':
      return run.launch(path, step.attempt + 1);
    case 'fail':
      return run.fail(about, INTERRUPTED);
    case 'ask':
      return run.emit({ kind: 'step.waiting', ...about, wait: askToRerun(prepared.def.name), rerun: true });
  }
}

/** Time of the next attempt of a step that has just failed; null when there is none. */
function retryAt(run: DecisionBuilder, path: string, retryAfterMs?: number): number | null {
  const policy = findStep(run.plan, path)?.def.retry;
  const step = run.state.steps.get(path);
  const failures = (step !== undefined && 'failures' in step ? step.failures : 0) + 1;
  if (policy === undefined || failures >= policy.maxAttempts) return null;
  return run.now + retryDelayMs(policy, failures, unit(run.at), retryAfterMs);
}

const INTERRUPTED: StepError = {
  code: 'interrupted',
  message: 'The host stopped while this step was running, and it must not be run twice',
};

const askToRerun = (name: string): Wait => ({
  kind: 'approval',
  message: `The host stopped while "${name}" was running. Run it again?`,
  approvers: [],
  form: null,
  until: null,
  onTimeout: { kind: 'fail', error: INTERRUPTED },
});

/** A number from 0 up to, not including, 1. */
const unit = (at: DecisionInputs): number => {
  const bytes = at.random(4);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) / 2 ** 32;
};
