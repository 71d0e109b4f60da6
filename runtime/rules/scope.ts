import type { Env, PreparedPlan } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { RunState } from '../record/state';

/** What stays the same for the whole life of a run. Times in epoch milliseconds. */
export interface RunFacts {
  readonly id: string;
  readonly workflowId: string;
  readonly startedAt: number;
  readonly deadlineAt: number | null;
  /** The workflow's `env` word. */
  readonly env: string;
  readonly trigger: JsonObject;
  readonly plan: PreparedPlan;
  readonly approvalLink: (stepId: string, decision: 'approve' | 'reject') => string;
}

/** Chance and time, handed in, so that a decision can be made again. */
export interface Circumstances {
  readonly now: number;
  readonly random: (bytes: number) => Uint8Array;
}

/** Where the expressions of a run look things up. `secret` is absent where a record would keep its value. */
export function scope(
  facts: RunFacts,
  outputs: JsonObject,
  attempt: number,
  at: Circumstances,
  secret?: JsonObject,
): Env {
  return {
    root(name: string): Json | undefined {
      switch (name) {
        case 'trigger':
          return facts.trigger;
        case 'steps':
          return outputs;
        case 'secret':
          return secret;
        case 'env':
          return facts.env;
        case 'vars':
          return {};
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
    approvalLink: facts.approvalLink,
  };
}

/** The next instant at which something of the run falls due; null when only a message can move it. */
export function nextDue(facts: RunFacts, state: RunState): number | null {
  let due = facts.deadlineAt ?? Number.POSITIVE_INFINITY;
  for (const path of state.open) {
    const step = state.steps.get(path);
    if (step?.kind === 'waiting' && step.wait.until !== null) due = Math.min(due, step.wait.until);
    if (step?.kind === 'retrying' && !state.flights.has(path)) due = Math.min(due, step.retryAt);
  }
  return Number.isFinite(due) ? due : null;
}

/** A wait for a time that is this near stays in memory: giving the run up and claiming it again costs more. */
export const LINGER_MS = 1_000;

/** Whether a run that only waits may stay in memory: not for long, and not for a message. */
export function lingers(state: RunState, due: number | null, now: number): boolean {
  if (due === null || due - now > LINGER_MS) return false;
  return ![...state.open].some((path) => {
    const step = state.steps.get(path);
    return step?.kind === 'waiting' && step.wait.kind !== 'timer';
  });
}
