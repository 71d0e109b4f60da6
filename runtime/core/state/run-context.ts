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
export function evaluationEnvironment(
  context: RunContext,
  view: StepView,
  attempt: number,
  at: DecisionInputs,
  secret?: JsonObject,
): EvaluationContext {
  return {
    root(name: string): Json | undefined {
      switch (name) {
        case 'trigger':
          return context.trigger;
        case 'steps':
          return view.steps();
        case 'loop':
          return view.loop();
        case 'error':
          return view.error();
        case 'secret':
          return secret;
        case 'env':
          return context.env;
        case 'vars':
          return context.vars;
        case 'execution':
          return {
            id: context.id,
            workflow_id: context.workflowId,
            started_at: new Date(context.startedAt).toISOString(),
            attempt,
          };
        default:
          return undefined;
      }
    },
    now: at.now,
    random: at.random,
    stepLink: (stepId, kind) => context.stepLink(view.addressOf(stepId), kind),
  };
}
