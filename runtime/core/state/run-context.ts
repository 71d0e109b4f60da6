import type { EvaluationContext, LinkKind, PreparedPlan } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import type { TestFixture, StepView } from './step-view';

/** Constants of one activation of a run. Times in epoch milliseconds. */
export interface RunContext {
  readonly id: string;
  readonly workflowId: string;
  readonly startedAt: number;
  readonly deadlineAt: number | null;
  /** The time is simulated: it stands still but for jumps to the next timer. */
  readonly simulatesTime?: boolean;
  /** The environment of the workflow. */
  readonly env: string;
  readonly trigger: JsonObject;
  readonly plan: PreparedPlan;
  /** The tenant's variables at the start of this activation; empty when the plan uses none. */
  readonly vars: JsonObject;
  /** Started by hand: pinned outputs replace the execution of their steps. */
  readonly usesPins?: boolean;
  /** Of a step test: replaces the parts of the run that are not in its plan. */
  readonly fixture?: TestFixture;
  /** `address`: the step's id and the indexes of its loops. */
  readonly stepLink: (address: string, kind: LinkKind) => string;
}

/** Time and randomness as arguments, so that a decision can be repeated. */
export interface DecisionInputs {
  readonly now: number;
  readonly random: (bytes: number) => Uint8Array;
}

/** The evaluation context of a step. `secret` is absent where the value would be recorded. */
export const evaluationEnvironment = (
  context: RunContext,
  view: StepView,
  attempt: number,
  at: DecisionInputs,
  secret?: JsonObject,
): EvaluationContext => new StepEvaluation(context, view, attempt, at, secret);

class StepEvaluation implements EvaluationContext {
  constructor(
    private readonly context: RunContext,
    private readonly view: StepView,
    private readonly attempt: number,
    private readonly at: DecisionInputs,
    private readonly secret: JsonObject | undefined,
  ) {}

  get now(): number {
    return this.at.now;
  }

  random(bytes: number): Uint8Array {
    return this.at.random(bytes);
  }

  stepLink(stepId: string, kind: LinkKind): string {
    return this.context.stepLink(this.view.addressOf(stepId), kind);
  }

  root(name: string): Json | undefined {
    const { context } = this;
    switch (name) {
      case 'trigger':
        return context.trigger;
      case 'steps':
        return this.view.steps();
      case 'loop':
        return this.view.loop();
      case 'error':
        return this.view.error();
      case 'secret':
        return this.secret;
      case 'env':
        return context.env;
      case 'vars':
        return context.vars;
      case 'execution':
        return {
          id: context.id,
          workflow_id: context.workflowId,
          started_at: new Date(context.startedAt).toISOString(),
          attempt: this.attempt,
        };
      default:
        return undefined;
    }
  }
}
