/** What becomes of single steps: of attempts that are over, of waits and pauses that end, of what an interruption left. */
import { retryDelayMs, stepIdOf } from '../../dsl';
import type { NoteOfEnd, StepError, Usage } from '../../nodes/contract';
import type { Wait } from '../record/entry';
import { close, end } from './conclude';
import type { Settled, SettledEvent } from './event';
import { findStep } from './step-at';
import type { Attempt, Turn } from './turn';
import { endOfWait, mailFor, type WaitEnd } from './waits';
import type { Circumstances } from './scope';

/** Records how an attempt ended. */
export function settle(run: Turn, { path, attempt, started, input, outcome, instead, logs }: SettledEvent): void {
  const recorded = run.state.steps.get(path)?.kind === 'running';
  const about: Attempt = {
    path,
    attempt,
    at: run.now,
    started,
    ...(recorded || input === undefined ? {} : { input }),
  };
  const told: Attempt = logs === undefined ? about : { ...about, logs };
  switch (outcome.kind) {
    case 'done':
      return run.complete(told, outcome.output, {
        ...usageOf(outcome),
        ...(instead === undefined ? {} : { instead }),
      });
    case 'wait':
      return run.emit({ kind: 'step.waiting', ...about, wait: outcome.wait, ...noteOf(outcome) });
    case 'noted':
      return noteEnd(run, about, outcome.note, outcome.end);
    case 'stop':
      return stop(run, told, outcome);
    case 'fail':
      return run.fail(
        { ...told, ...usageOf(outcome) },
        outcome.error,
        outcome.retryable ? retryAt(run, path, outcome.retryAfterMs) : null,
      );
  }
}

/**
 * The author's word for the whole run: no retry, no `on_error`, no `try`. One decision, so that no crash can part it. A
 * run that is closing has its end already: there it is the word for the step.
 */
function stop(run: Turn, about: Attempt, outcome: Extract<Settled, { kind: 'stop' }>): void {
  const closing = run.state.closing !== null;
  if ('error' in outcome) {
    run.fail(about, outcome.error);
    if (!closing) close(run, 'failed', { ...outcome.error, step_id: stepIdOf(about.path) });
  } else {
    run.complete(about, outcome.output);
    if (!closing) end(run, 'completed', outcome.output, null);
  }
}

/** Goes on with an open step whose time, or message, has come. */
export function wake(run: Turn, path: string): void {
  const { state } = run;
  const step = state.steps.get(path);
  if (step === undefined || state.flights.has(path)) return;
  if (step.kind === 'resumed' || (step.kind === 'retrying' && step.retryAt <= run.now))
    run.launch(path, step.attempt + 1);
  if (step.kind !== 'waiting') return;
  const mail = mailFor(state, path, step);
  const ended = endOfWait(step.wait, mail, run.now);
  if (ended === null) return;
  if (mail !== undefined) state.mail.splice(state.mail.indexOf(mail), 1);
  const about = { path, attempt: step.attempt, at: run.now, started: step.since };
  if (step.rerun) endRerun(run, about, ended);
  else if (step.note !== undefined) noteEnd(run, about, step.note, noteOfEnd(ended), ended.mail);
  else endWait(run, about, ended);
}

function endWait(run: Turn, about: Attempt, ended: WaitEnd): void {
  const attempt = ended.mail === undefined ? about : { ...about, mail: ended.mail };
  if (ended.kind === 'complete') run.complete(attempt, ended.output);
  else run.fail(attempt, ended.error, ended.retryable === true ? retryAt(run, about.path) : null);
}

/** The step asked to go on itself at the end of its wait: that is on record, and it runs again. */
function noteEnd(run: Turn, { path, attempt }: Attempt, key: string, value: NoteOfEnd, mail?: string): void {
  run.emit({ kind: 'step.noted', path, attempt, at: run.now, key, value });
  resume(run, path, attempt, mail);
}

const noteOfEnd = (ended: WaitEnd): NoteOfEnd =>
  ended.kind === 'complete' ? { ok: true, output: ended.output } : { ok: false, error: { ...ended.error } };

function resume(run: Turn, path: string, attempt: number, mail: string | undefined): void {
  run.emit({ kind: 'step.resumed', path, at: run.now, ...(mail === undefined ? {} : { mail }) });
  run.launch(path, attempt + 1);
}

const usageOf = ({ usage }: { usage?: Usage }): { usage?: Usage } => (usage === undefined ? {} : { usage });

const noteOf = ({ note }: { note?: string }): { note?: string } => (note === undefined ? {} : { note });

function endRerun(run: Turn, about: Attempt, ended: WaitEnd): void {
  const { path, attempt } = about;
  if (ended.kind === 'complete' && ended.output.approved === true && ended.mail !== undefined) {
    resume(run, path, attempt, ended.mail);
  } else {
    const mail = ended.mail === undefined ? {} : { mail: ended.mail };
    endWait(run, about, { kind: 'fail', error: INTERRUPTED, ...mail });
  }
}

/** An effect was begun, and no record says how it ended: the node type's word decides. */
export function recover(run: Turn, path: string): void {
  const step = run.state.steps.get(path);
  const prepared = findStep(run.plan, path);
  if (step?.kind !== 'running' || prepared === undefined) return;
  const about: Attempt = { path, attempt: step.attempt, at: run.now, started: step.started };
  switch (run.rules.interruption(prepared)) {
    case 'retry':
      return run.launch(path, step.attempt + 1);
    case 'fail':
      return run.fail(about, INTERRUPTED);
    case 'ask':
      return run.emit({ kind: 'step.waiting', ...about, wait: askToRerun(prepared.def.name), rerun: true });
  }
}

/** When a step that has just failed is tried again; null when it is not. */
function retryAt(run: Turn, path: string, retryAfterMs?: number): number | null {
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

/** A number from 0 up to 1 out of injected bytes. */
const unit = (at: Circumstances): number => {
  const bytes = at.random(4);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) / 2 ** 32;
};
