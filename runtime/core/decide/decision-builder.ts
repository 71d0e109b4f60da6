import { type EvaluationContext, type PreparedPlan, type PreparedStep, type Template } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import type { OnInterrupted, StepError, Usage } from '../../../nodes/contract';
import type { Entry, StepLine } from '../entries/entry';
import { apply } from '../state/fold';
import type { RunState } from '../state/state';
import { type DecisionInputs, type RunContext, evaluationEnvironment } from '../state/run-context';
import { stepAt } from '../state/step-at';
import { viewAt, withFixture } from '../state/step-view';

/**
 * What the actor must do. `abort`: interrupt the attempt in flight and ignore its result. `cancel_child`: cancel a run
 * that is not needed any more. `evaluate`: render an expensive template on a compute thread. `go_on`: decide again
 * soon, after other runs.
 */
export type Command =
  | { kind: 'run'; path: string; attempt: number }
  | { kind: 'abort'; path: string }
  | { kind: 'cancel_child'; child: string }
  | { kind: 'evaluate'; path: string; what: string; template: Template; env: EvaluationContext }
  /** Write the JSON of a large value in slices, so that its entry can be encoded at once. */
  | { kind: 'prepare'; path: string; what: string; value: Json }
  | { kind: 'go_on' };

export interface Decision {
  readonly entries: Entry[];
  readonly commands: Command[];
}

/** The recovery policy for an attempt that was in flight when its host died. */
export type RecoveryPolicy = (step: PreparedStep) => OnInterrupted;

/** Inputs of the rules besides the state. */
export interface Rules {
  readonly context: RunContext;
  readonly recoveryPolicy: RecoveryPolicy;
}

/** Fields of the entry that ends an attempt. */
export interface Attempt {
  readonly path: string;
  readonly attempt: number;
  readonly at: number;
  readonly started: number;
  readonly input?: Json;
  readonly mail?: string;
  readonly logs?: StepLine[];
  readonly usage?: Usage;
}

/** Optional fields of a completion. */
type Completed = Pick<Extract<Entry, { kind: 'step.completed' }>, 'usage' | 'from' | 'instead'>;

/**
 * Loops stop after this many entries in one decision: a decision is one record, and a record must fit into one
 * document.
 */
const MAX_ENTRIES = 500;

/**
 * Loops begin no further items from about this many open steps on. Each event visits all open steps, so nested loops of
 * a hundred items each would delay the other runs of the host.
 */
const MAX_IN_FLIGHT = 200;

/** Evaluation budget of one decision, in operations of about 50 ns. Further templates wait for the next decision. */
const MAX_EVALUATED_OPERATIONS = 200_000;

/** Collects one decision, and folds each entry into the state. Does not own: the rules. */
export class DecisionBuilder {
  readonly decision: Decision = { entries: [], commands: [] };

  /** Operations spent on templates in this decision. */
  evaluatedOperations = 0;

  constructor(
    readonly rules: Rules,
    readonly state: RunState,
    readonly at: DecisionInputs,
  ) {}

  get plan(): PreparedPlan {
    return this.rules.context.plan;
  }

  get now(): number {
    return this.at.now;
  }

  stepAt(path: string): PreparedStep {
    return stepAt(this.plan, path);
  }

  /** The evaluation context of expressions at a path. */
  env(path: string): EvaluationContext {
    const { context } = this.rules;
    return evaluationEnvironment(
      context,
      withFixture(viewAt(this.plan, this.state, path), context.fixture),
      1,
      this.at,
    );
  }

  emit(entry: Entry): void {
    apply(this.state, entry);
    this.decision.entries.push(entry);
  }

  complete(attempt: Attempt, output: JsonObject, more: Completed = {}): void {
    const { def, blocks } = this.stepAt(attempt.path);
    this.emit({
      kind: 'step.completed',
      ...attempt,
      output,
      ...more,
      // A step that was not executed here is not compensated here.
      ...(blocks.has('compensate') && more.instead === undefined ? { undo: true } : {}),
      ...(def.type === 'webhook_response' ? { response: true } : {}),
    });
  }

  fail(attempt: Attempt, error: StepError, retryAt: number | null = null): void {
    this.emit({ kind: 'step.failed', ...attempt, error, retryAt });
  }

  /** Begins an attempt; not while the run is paused: the step is continued when the run is resumed. */
  launch(path: string, attempt: number): void {
    if (this.state.paused !== null) return;
    this.state.inFlight.add(path);
    this.decision.commands.push({ kind: 'run', path, attempt });
  }

  /** True when this decision has reached its limit of entries; the rest follows in the next decision. */
  get atEntryLimit(): boolean {
    if (this.decision.entries.length < MAX_ENTRIES) return false;
    this.continueLater();
    return true;
  }

  /** Continues with another decision, after other runs. */
  continueLater(): void {
    if (!this.decision.commands.some(({ kind }) => kind === 'go_on')) this.decision.commands.push({ kind: 'go_on' });
  }

  get atEvaluationLimit(): boolean {
    return this.evaluatedOperations > MAX_EVALUATED_OPERATIONS;
  }

  /** True when the run has so many open steps that loops wait with further items. */
  get atConcurrencyLimit(): boolean {
    return this.state.open.size + this.state.inFlight.size >= MAX_IN_FLIGHT;
  }
}
