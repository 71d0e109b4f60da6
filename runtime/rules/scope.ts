import type { Env, PreparedPlan } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { Given, View } from './view';

/** What stays the same for as long as a run stays on a host. Times in epoch milliseconds. */
export interface RunFacts {
  readonly id: string;
  readonly workflowId: string;
  readonly startedAt: number;
  readonly deadlineAt: number | null;
  /** The workflow's `env` word. */
  readonly env: string;
  readonly trigger: JsonObject;
  readonly plan: PreparedPlan;
  /** The tenant's constants as they were when the run began here or was taken up; empty where the plan uses none. */
  readonly vars: JsonObject;
  /** Somebody tries the workflow out: pinned outputs stand in for the work of their steps. */
  readonly pins?: boolean;
  /** Of the test of a step: what stands in for that which is not in its plan. */
  readonly given?: Given;
  /** `address`: the step's id, and the numbers of the loops that it is in. */
  readonly approvalLink: (address: string, decision: 'approve' | 'reject') => string;
}

/** Chance and time, handed in, so that a decision can be made again. */
export interface Circumstances {
  readonly now: number;
  readonly random: (bytes: number) => Uint8Array;
}

/** Where the expressions of a step look things up. `secret` is absent where a record would keep its value. */
export function scope(facts: RunFacts, view: View, attempt: number, at: Circumstances, secret?: JsonObject): Env {
  return {
    root(name: string): Json | undefined {
      switch (name) {
        case 'trigger':
          return facts.trigger;
        case 'steps':
          return view.steps();
        case 'loop':
          return view.loop();
        case 'error':
          return view.error();
        case 'secret':
          return secret;
        case 'env':
          return facts.env;
        case 'vars':
          return facts.vars;
        case 'execution':
          return {
            id: facts.id,
            workflow_id: facts.workflowId,
            started_at: new Date(facts.startedAt).toISOString(),
            attempt,
          };
        default:
          return undefined;
      }
    },
    now: at.now,
    random: at.random,
    approvalLink: (stepId, decision) => facts.approvalLink(view.addressOf(stepId), decision),
  };
}
