import type { Json, JsonObject } from '../lib/json';
import type { Backoff, OnConflict, OnError } from './document';
import type { Template } from './template';

/** How often and how soon a step is tried again. Times in milliseconds; `jitter` is a share of the delay, 0 to 1. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  readonly jitter: number;
}

/** What starts a run. */
export interface PlanTrigger {
  readonly type: string;
  readonly config: JsonObject;
}

/** How many runs of one key go on at a time. `key` is a template as it was written. */
export interface PlanConcurrency {
  readonly key: string;
  readonly limit: number;
  readonly onConflict: OnConflict;
}

/** A list of steps inside a step: `key` says which (`cases.0`, `else`, `steps`). */
export interface PlanBlock {
  readonly key: string;
  readonly steps: readonly PlanStep[];
}

/** One step with every default filled in. `config` and `if` are templates as they were written. */
export interface PlanStep {
  readonly id: string;
  /** Unique in the plan: the id, below the path and block of the step that holds it (`big/cases.0/ask`). */
  readonly path: string;
  /** The node type's canonical name, and the version it had when the plan was made. */
  readonly type: string;
  readonly typeVersion?: number;
  readonly name: string;
  readonly config: JsonObject;
  readonly if?: string | boolean;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly onError: OnError;
  /** Absent for steps that hold no others. */
  readonly blocks?: readonly PlanBlock[];
}

/** A compiled workflow: plain JSON, never changed once made. */
export interface Plan {
  readonly format: 1;
  /** SHA-256 of the canonical text of everything else here. */
  readonly hash: string;
  readonly id: string;
  readonly name: string;
  readonly triggers: readonly PlanTrigger[];
  readonly steps: readonly PlanStep[];
  /** Deadline of the run after its start; null for none. */
  readonly timeoutMs: number | null;
  /** Absent: runs of the workflow have nothing to do with each other. */
  readonly concurrency?: PlanConcurrency;
  /** Template of the run's output; absent: the last step's output. */
  readonly output?: Json;
  /** Names of the secrets that expressions use, sorted. */
  readonly secrets: readonly string[];
}

/** A step ready to run: `condition` renders without failing on what is missing. */
export interface PreparedStep {
  readonly path: string;
  readonly def: PlanStep;
  readonly config: Template;
  readonly condition: Template | null;
}

/** A plan with its templates compiled. `steps` are the outermost ones; `byPath` has the nested ones too. */
export interface PreparedPlan {
  readonly plan: Plan;
  readonly steps: readonly PreparedStep[];
  readonly byPath: ReadonlyMap<string, PreparedStep>;
  readonly output: Template | null;
  /** The key of `plan.concurrency`: renders without failing on what is missing. */
  readonly concurrencyKey: Template | null;
}
