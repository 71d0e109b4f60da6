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
import { type PreparedStep, render, retryDelayMs, truthy } from '../../dsl';
import { errorMessage } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import type { OnInterrupted, Outcome, StepError } from '../../nodes/contract';
import type { EndStatus, Entry, RunError, Wait } from '../record/entry';
import { apply, bySending, type Mail, type RunState, stepIdOf } from '../record/state';
import { type Circumstances, type RunFacts, scope } from './scope';
import { CANCEL, endOfWait, mailFor, reasonOf, type WaitEnd } from './waits';

/**
 * Longest history of a run, in characters. Without a bound, one run of large outputs fills the memory of its host, and
 * of every host that takes it on afterwards.
 */
export const HISTORY_LIMIT = 64 * 1024 * 1024;

/** What became of an attempt; what a node could only ask for, its host has done. */
export type Settled = Exclude<Outcome, { kind: 'wait' } | { kind: 'start_child' }> | { kind: 'wait'; wait: Wait };

/** What a run is told. */
export type RunEvent =
  /** A host has taken the run on, new or after another. */
  | { kind: 'resume' }
  /** Outputs of an earlier run's completed steps, by path, to be taken over. */
  | { kind: 'preload'; from: string; outputs: ReadonlyMap<string, JsonObject> }
  | { kind: 'settled'; path: string; attempt: number; started: number; outcome: Settled; input?: Json }
  | { kind: 'due' }
  /** It may not begin. */
  | { kind: 'refused'; error: RunError }
  | { kind: 'mail'; mail: readonly Mail[] };

/** What the shell is to do. `abort`: interrupt the attempt in flight; nobody waits for its outcome. */
export type Command = { kind: 'run'; path: string; attempt: number } | { kind: 'abort'; path: string };

export interface Decision {
  readonly entries: Entry[];
  readonly commands: Command[];
}

/** The word of a node type for an attempt that was in flight when its host died. */
export type Interruption = (step: PreparedStep) => OnInterrupted;

/** What the rules need beside the state. */
export interface Rules {
  readonly facts: RunFacts;
  readonly interruption: Interruption;
}

/** Says what follows from an event. Never throws: a fault of an expression fails its step. */
export function decide(rules: Rules, state: RunState, event: RunEvent, at: Circumstances): Decision {
  const run = new Turn(rules, state, at);
  if (state.ended !== null) return run.decision;
  run.take(event);
  if (state.ended === null) run.goOn();
  return run.decision;
}

/** What an entry says of the attempt that it settles. */
interface Attempt {
  readonly path: string;
  readonly attempt: number;
  readonly at: number;
  readonly started: number;
  readonly input?: Json;
}

class Turn {
  readonly decision: Decision = { entries: [], commands: [] };

  constructor(
    private readonly rules: Rules,
    private readonly state: RunState,
    private readonly at: Circumstances,
  ) {}

  take(event: RunEvent): void {
    switch (event.kind) {
      case 'resume':
        for (const path of this.state.open) if (this.state.steps.get(path)?.kind === 'running') this.#recover(path);
        return;
      case 'preload':
        for (const [path, output] of event.outputs) {
          this.#emit({
            kind: 'step.completed',
            path,
            attempt: 0,
            at: this.at.now,
            started: this.at.now,
            output,
            input: null,
            from: event.from,
          });
        }
        return;
      case 'settled':
        if (this.state.flights.delete(event.path)) this.#settle(event);
        return;
      case 'mail':
        for (const mail of event.mail) {
          const known = this.state.taken.has(mail.id) || this.state.mail.some((other) => other.id === mail.id);
          if (!known) this.state.mail.push(mail);
        }
        this.state.mail.sort(bySending);
        return;
      case 'refused':
        return this.state.steps.size === 0 ? this.#end('cancelled', null, event.error) : undefined;
      case 'due':
        return;
    }
  }

  /** Cancellation, then the limits of the run, then waits and retries that are due, then the steps in their order. */
  goOn(): void {
    const { facts } = this.rules;
    const cancelled = this.state.mail.find((mail) => mail.name === CANCEL);
    if (cancelled !== undefined) return this.#end('cancelled', null, reasonOf(cancelled));
    if (facts.deadlineAt !== null && facts.deadlineAt <= this.at.now) {
      return this.#fail({ code: 'timed_out', message: 'The run took longer than its timeout allows', step_id: null });
    }
    if (this.state.size > HISTORY_LIMIT) return this.#fail(TOO_LARGE);
    for (const path of this.state.open) this.#wake(path);
    this.#advance();
  }

  #wake(path: string): void {
    const step = this.state.steps.get(path);
    if (step === undefined || this.state.flights.has(path)) return;
    if (step.kind === 'resumed' || (step.kind === 'retrying' && step.retryAt <= this.at.now))
      this.#launch(path, step.attempt + 1);
    if (step.kind !== 'waiting') return;
    const mail = mailFor(this.state, path, step);
    const end = endOfWait(step.wait, mail, this.at.now);
    if (end === null) return;
    if (mail !== undefined) this.state.mail.splice(this.state.mail.indexOf(mail), 1);
    if (step.rerun) this.#endRerun(path, step.attempt, step.since, end);
    else this.#endWait(path, step.attempt, step.since, end);
  }

  #endWait(path: string, attempt: number, since: number, end: WaitEnd): void {
    const common = {
      path,
      attempt,
      at: this.at.now,
      started: since,
      ...(end.mail === undefined ? {} : { mail: end.mail }),
    };
    if (end.kind === 'complete') return this.#emit({ kind: 'step.completed', ...common, output: end.output });
    const retryAt = end.retryable === true ? this.#retryAt(path) : null;
    this.#emit({ kind: 'step.failed', ...common, error: end.error, retryAt });
  }

  #endRerun(path: string, attempt: number, since: number, end: WaitEnd): void {
    if (end.kind === 'complete' && end.output.approved === true && end.mail !== undefined) {
      this.#emit({ kind: 'step.resumed', path, at: this.at.now, mail: end.mail });
      this.#launch(path, attempt + 1);
      return;
    }
    this.#endWait(path, attempt, since, {
      kind: 'fail',
      error: INTERRUPTED,
      ...(end.mail === undefined ? {} : { mail: end.mail }),
    });
  }

  /** An effect was begun, and no record says how it ended: the node type's word decides. */
  #recover(path: string): void {
    const step = this.state.steps.get(path);
    const prepared = this.rules.facts.plan.byPath.get(path);
    if (step?.kind !== 'running' || prepared === undefined) return;
    const common = { path, attempt: step.attempt, at: this.at.now, started: step.started };
    switch (this.rules.interruption(prepared)) {
      case 'retry':
        return this.#launch(path, step.attempt + 1);
      case 'fail':
        return this.#emit({ kind: 'step.failed', ...common, error: INTERRUPTED, retryAt: null });
      case 'ask':
        return this.#emit({ kind: 'step.waiting', ...common, wait: askToRerun(prepared.def.name), rerun: true });
    }
  }

  #settle(event: Extract<RunEvent, { kind: 'settled' }>): void {
    const { path, attempt, started, outcome } = event;
    const recorded = this.state.steps.get(path)?.kind === 'running';
    const common: Attempt = {
      path,
      attempt,
      at: this.at.now,
      started,
      ...(recorded || event.input === undefined ? {} : { input: event.input }),
    };
    switch (outcome.kind) {
      case 'done':
        return this.#emit({ kind: 'step.completed', ...common, output: outcome.output });
      case 'wait':
        return this.#emit({ kind: 'step.waiting', ...common, wait: outcome.wait });
      case 'stop':
        return this.#stop(common, outcome);
      case 'fail':
        return this.#emit({
          kind: 'step.failed',
          ...common,
          error: outcome.error,
          retryAt: outcome.retryable ? this.#retryAt(path, outcome.retryAfterMs) : null,
        });
    }
  }

  /** The author's word for the whole run: no retry, and no `on_error`. One decision, so that no crash can part it. */
  #stop(common: Attempt, outcome: Extract<Settled, { kind: 'stop' }>): void {
    if ('error' in outcome) {
      this.#emit({ kind: 'step.failed', ...common, error: outcome.error, retryAt: null });
      return this.#fail({ ...outcome.error, step_id: stepIdOf(common.path) });
    }
    this.#emit({ kind: 'step.completed', ...common, output: outcome.output });
    this.#end('completed', outcome.output, null);
  }

  #retryAt(path: string, retryAfterMs?: number): number | null {
    const policy = this.rules.facts.plan.byPath.get(path)?.def.retry;
    const step = this.state.steps.get(path);
    const failures = (step !== undefined && 'failures' in step ? step.failures : 0) + 1;
    if (policy === undefined || failures >= policy.maxAttempts) return null;
    return this.at.now + retryDelayMs(policy, failures, unit(this.at), retryAfterMs);
  }

  /** Walks the outermost steps from the first that is not behind. */
  #advance(): void {
    const { steps } = this.rules.facts.plan;
    for (; this.state.cursor < steps.length; this.state.cursor++) {
      const step = steps[this.state.cursor] as PreparedStep;
      const known = this.state.steps.get(step.path);
      if (known === undefined) {
        if (this.state.flights.has(step.path) || !this.#begin(step)) return;
      } else if (known.kind === 'failed' && step.def.onError !== 'continue') {
        return this.#fail({ ...known.error, step_id: step.def.id });
      } else if (known.kind === 'cancelled' || 'failures' in known) {
        return;
      }
    }
    this.#finish();
  }

  /** Starts a step, or skips it. False when it is under way; the walk stops there. */
  #begin(step: PreparedStep): boolean {
    try {
      const wanted = step.condition === null || truthy(render(step.condition, this.#scope()));
      if (wanted) this.#launch(step.path, 1);
      else this.#emit({ kind: 'step.skipped', path: step.path, at: this.at.now });
      return !wanted;
    } catch (fault) {
      const error = {
        code: 'expression',
        message: `The condition of this step cannot be evaluated: ${errorMessage(fault)}`,
      };
      this.#emit({
        kind: 'step.failed',
        path: step.path,
        attempt: 1,
        at: this.at.now,
        started: this.at.now,
        error,
        retryAt: null,
        input: null,
      });
      if (step.def.onError === 'continue') return true;
      this.#fail({ ...error, step_id: step.def.id });
      return false;
    }
  }

  #launch(path: string, attempt: number): void {
    this.state.flights.add(path);
    this.decision.commands.push({ kind: 'run', path, attempt });
  }

  #finish(): void {
    const { output } = this.rules.facts.plan;
    try {
      this.#end('completed', output === null ? this.state.lastOutput : render(output, this.#scope()), null);
    } catch (fault) {
      this.#fail({
        code: 'expression',
        message: `The output of the run cannot be evaluated: ${errorMessage(fault)}`,
        step_id: null,
      });
    }
  }

  #fail(error: RunError): void {
    this.#end('failed', null, error);
  }

  /** Nothing of the run goes on: flights are aborted, what waits is cancelled, then the last entry is made. */
  #end(status: EndStatus, output: Json, error: RunError | null): void {
    for (const path of this.state.flights) {
      this.decision.commands.push({ kind: 'abort', path });
      if (!this.state.open.has(path)) this.#emit({ kind: 'step.cancelled', path, at: this.at.now });
    }
    this.state.flights.clear();
    for (const path of [...this.state.open]) this.#emit({ kind: 'step.cancelled', path, at: this.at.now });
    this.#emit({ kind: 'run.ended', at: this.at.now, status, output, error });
  }

  #scope() {
    return scope(this.rules.facts, this.state.outputs, 1, this.at);
  }

  #emit(entry: Entry): void {
    apply(this.state, entry);
    this.decision.entries.push(entry);
  }
}

const TOO_LARGE: RunError = {
  code: 'run_too_large',
  message: `The inputs and outputs of the steps have more than ${HISTORY_LIMIT / 1024 / 1024} MiB together; let steps fetch, or put out, less`,
  step_id: null,
};

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
