/**
 * The attempts of one run in progress on this host. Owns: the attempts in flight, from their begin to their result.
 * Does not own: which attempts are made, and what follows from their results.
 */
import type { AttemptResultEvent } from '../core/decide/event';
import { Attempt, type AttemptRun, RunPaused, type SharedByAttempts } from './attempt';
import { Aborted } from './deps';
import { executeStep, type StepResult } from './execute-step';
import { RunLog } from './run-log';

interface AttemptRunnerDeps extends AttemptRun {
  /** Resolves when the document of the run is stored. */
  readonly stored: () => Promise<void>;
  readonly onFinished: (event: AttemptResultEvent) => void;
  /** An attempt does not begin, because the run is paused. */
  readonly onHeld: (path: string) => void;
  /** An internal error outside any step: this activation cannot continue. */
  readonly onBroken: (fault: unknown) => void;
}

export class AttemptRunner {
  readonly #inFlight = new Map<string, Attempt>();
  /** The run is marked for versions that know waits for connections. */
  #isMarked = false;
  #requesters = 0;
  /** Made with the first line. */
  #log: RunLog | null = null;
  readonly #shared: SharedByAttempts = {
    addLine: (...line) => (this.#log ??= this.#newLog()).add(...line),
    nextRequester: () => ++this.#requesters,
    markWaiting: () => this.#markWaiting(),
  };

  constructor(private readonly run: AttemptRunnerDeps) {}

  get size(): number {
    return this.#inFlight.size;
  }

  abort(path: string): void {
    this.#inFlight.get(path)?.attemptInFlight.abort();
    this.#inFlight.delete(path);
  }

  abortAll(): void {
    for (const path of [...this.#inFlight.keys()]) this.abort(path);
  }

  /** Registers all secrets of the plan: the output of a run may contain secrets that no step has used on this host. */
  async registerSecrets(barrier: () => Promise<void>): Promise<void> {
    const { deps, execution, context, redactor } = this.run;
    const { secrets } = context.plan.plan;
    if (redactor.hasRegistered(secrets)) return;
    // Reading secrets may end this activation, and no result of an effect may be lost by that.
    await barrier();
    redactor.register(await deps.secrets(execution.tenantId, secrets), secrets);
  }

  /** Never throws. An attempt that has its turn, and whose step only computes, has its result when this returns. */
  begin(path: string, number: number): void {
    const { deps, execution, onBroken } = this.run;
    try {
      const attempt = new Attempt(this.run, this.#shared, path, number);
      this.#inFlight.set(path, attempt);
      const pause = deps.turns.take(execution.tenantId);
      if (pause === null) this.#start(attempt);
      else this.#startAfter(attempt, pause).catch(onBroken);
    } catch (fault) {
      // Later, as the caller is about to begin further attempts.
      queueMicrotask(() => onBroken(fault));
    }
  }

  async #startAfter(attempt: Attempt, first: Promise<void>): Promise<void> {
    const { deps, execution } = this.run;
    for (let pause: Promise<void> | null = first; pause !== null; pause = deps.turns.take(execution.tenantId))
      await pause;
    this.#start(attempt);
  }

  #start(attempt: Attempt): void {
    if (attempt.attemptInFlight.aborted) return;
    if (this.run.state().paused !== null) return this.#hold(attempt);
    attempt.begin();
    let result: StepResult | Promise<StepResult>;
    try {
      result = executeStep(attempt);
      // Without promises where there is nothing to wait for: they would be half of the cost of a small step.
      if (!(result instanceof Promise) && this.#log === null) return this.#finish(attempt, result);
    } catch (fault) {
      return this.#fail(attempt, fault);
    }
    this.#await(attempt, result).catch(this.run.onBroken);
  }

  async #await(attempt: Attempt, executed: StepResult | Promise<StepResult>): Promise<void> {
    try {
      const result = await executed;
      attempt.learn(result.outcome);
      // Before the result: who sees that a step has ended finds its lines.
      await this.#log?.attemptEnded(attempt.path, attempt.attempt);
      this.#finish(attempt, result);
    } catch (fault) {
      this.#fail(attempt, fault);
    } finally {
      attempt.release();
    }
  }

  #finish(attempt: Attempt, result: StepResult): void {
    attempt.complete(result);
    this.#onFinished(attempt, { ...result, ...attempt.logs });
  }

  #fail(attempt: Attempt, fault: unknown): void {
    attempt.fail();
    if (fault instanceof Aborted) return;
    if (fault instanceof RunPaused) return this.#hold(attempt);
    this.run.onFault(fault);
    const error = { code: 'internal', message: 'The step could not be run' };
    this.#onFinished(attempt, { outcome: { kind: 'fail', error, retryable: true } });
  }

  #onFinished(attempt: Attempt, result: Omit<AttemptResultEvent, 'kind' | 'path' | 'attempt' | 'started'>): void {
    const { path, inputs } = attempt;
    if (this.#inFlight.get(path) !== attempt) return;
    this.#inFlight.delete(path);
    this.run.onFinished({ kind: 'result', path, attempt: attempt.attempt, started: inputs.now, ...result });
  }

  #hold(attempt: Attempt): void {
    const { path } = attempt;
    if (this.#inFlight.get(path) !== attempt) return;
    this.#inFlight.delete(path);
    this.run.onHeld(path);
  }

  #newLog(): RunLog {
    const { deps, execution, onFault } = this.run;
    return new RunLog({
      logs: deps.logs,
      clock: deps.clock,
      executionId: execution.id,
      mayWrite: deps.mayWrite,
      onStored: () => deps.onLogged(execution),
      onFault,
    });
  }

  async #markWaiting(): Promise<void> {
    if (this.#isMarked) return;
    await this.run.stored();
    await this.run.deps.quotas.mark(this.run.execution.id);
    this.#isMarked = true;
  }
}
