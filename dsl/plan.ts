import type { Json, JsonObject } from '../lib/json';
import type { Backoff, OnConflict, OnError } from './document';
import type { Template } from './template';

/** The retry policy of a step. Times in milliseconds; `jitter` is a share of the delay, 0 to 1. */
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

/** The concurrency limit of a workflow. `key` is a template as it was written. */
export interface PlanConcurrency {
  /** Absent where the name is enough. */
  readonly key?: string;
  /** Shared by all workflows of the tenant with this name. */
  readonly name?: string;
  readonly limit: number;
  readonly onConflict: OnConflict;
}

/** A limit of starts. `key` is a template as it was written; absent: all runs of the workflow share the limit. */
export interface PlanRate {
  readonly limit: number;
  readonly periodMs: number;
  readonly burst: number;
  readonly key?: string;
  /** Shared by all workflows of the tenant with this name. */
  readonly name?: string;
}

/** Starts of one key that become one run. `key` is a template as it was written; absent: all starts of the workflow. */
export type PlanGathering =
  | { readonly kind: 'debounce'; readonly periodMs: number; readonly maxWaitMs: number; readonly key?: string }
  | { readonly kind: 'batch'; readonly periodMs: number; readonly maxSize: number; readonly key?: string };

/** The control flow of a container step. Texts are templates as they were written; the blocks are in the step. */
export type PlanControl =
  /** The conditions of the blocks `cases.0`, `cases.1` ... */
  | { readonly kind: 'branch'; readonly conditions: readonly (string | boolean)[] }
  /** The ids of the blocks `branches.0` ...; `wait`: how many of them must succeed. */
  | { readonly kind: 'parallel'; readonly branches: readonly string[]; readonly wait: number }
  | { readonly kind: 'foreach'; readonly items: Json; readonly concurrency: number }
  | { readonly kind: 'while'; readonly condition: string | boolean; readonly maxIterations: number }
  | { readonly kind: 'try' };

/** Lifetime of a cached output, for runs with the same input, or the same `key`. */
export interface PlanCache {
  readonly ttlMs: number;
  readonly key?: string;
}

/**
 * A list of steps inside a step: `key` says which (`cases.0`, `else`, `branches.1`, `steps`, `catch`, `finally`,
 * `on_error`, `compensate`).
 */
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
  /** Null for none; only container steps have none. */
  readonly timeoutMs: number | null;
  /** `steps`: the block `on_error` runs, then the run continues. */
  readonly onError: OnError | 'steps';
  /** Ids of the siblings that must have settled; absent: the one before. */
  readonly needs?: readonly string[];
  readonly cache?: PlanCache;
  /** The output of the step in runs started by hand. */
  readonly pin?: JsonObject;
  /** Absent for steps that are no containers. */
  readonly control?: PlanControl;
  /** Absent for steps without blocks. */
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
  /** Absent: no limit. */
  readonly concurrency?: PlanConcurrency;
  /** Absent: runs start at once. */
  readonly throttle?: PlanRate;
  /** Absent: every start is accepted. */
  readonly rateLimit?: PlanRate;
  /** Absent: each start is a run. */
  readonly gathering?: PlanGathering;
  /** A number, or a template as it was written; absent: the default. */
  readonly priority?: number | string;
  /** Templates of the labels of a run, as they were written. */
  readonly labels?: Readonly<Record<string, string | number | boolean>>;
  /** JSON Schema of the payload of a start; absent: anything. */
  readonly inputs?: JsonObject;
  /** Steps that run when the run fails; their paths begin with `.on_error/`. */
  readonly onError?: readonly PlanStep[];
  /** Template of the run's output; absent: the last step's output. */
  readonly output?: Json;
  /** Of a trial: the time of the run at its start, in epoch milliseconds. It is simulated from there on. Absent: real time. */
  readonly now?: number;
  /** Names of the secrets that expressions use, sorted. */
  readonly secrets: readonly string[];
}

/** A list of steps ready to run. `needs[i]` are the indexes of the siblings that step i waits for. */
export interface PreparedBlock {
  readonly key: string;
  readonly steps: readonly PreparedStep[];
  readonly needs: readonly (readonly number[])[];
  /** True when no step has `needs`: each waits for the one before. */
  readonly sequential: boolean;
}

/** PlanControl with its templates compiled. Conditions render without failing on what is missing. */
export type PreparedControl =
  | { readonly kind: 'branch'; readonly conditions: readonly Template[] }
  | { readonly kind: 'parallel'; readonly branches: readonly string[]; readonly wait: number }
  | { readonly kind: 'foreach'; readonly items: Template; readonly concurrency: number }
  | { readonly kind: 'while'; readonly condition: Template; readonly maxIterations: number }
  | { readonly kind: 'try' };

/** A step ready to run: `condition` renders without failing on what is missing. */
export interface PreparedStep {
  readonly path: string;
  readonly def: PlanStep;
  readonly config: Template;
  /** Names of the secrets in `config`. */
  readonly secrets: readonly string[];
  readonly condition: Template | null;
  readonly cacheKey: Template | null;
  readonly control: PreparedControl | null;
  readonly blocks: ReadonlyMap<string, PreparedBlock>;
}

/** A limit of starts whose key, if it has one, renders without failing on what is missing. */
export interface PreparedRate extends Omit<PlanRate, 'key'> {
  readonly key: Template | null;
}

/** How starts become one run, with a key that renders without failing on what is missing. */
export interface PreparedGathering {
  readonly rule: PlanGathering;
  readonly key: Template | null;
}

/** A label of a run, ready to be evaluated. */
export interface PreparedLabel {
  readonly name: string;
  readonly template: Template;
}

/** A plan with its templates compiled. `root` are the outermost steps; `byPath` has all, by their paths in the plan. */
export interface PreparedPlan {
  readonly plan: Plan;
  readonly root: PreparedBlock;
  readonly onError: PreparedBlock | null;
  readonly byPath: ReadonlyMap<string, PreparedStep>;
  readonly output: Template | null;
  /** The key of `plan.concurrency`: renders without failing on what is missing. */
  readonly concurrencyKey: Template | null;
  readonly throttle: PreparedRate | null;
  readonly rateLimit: PreparedRate | null;
  readonly gathering: PreparedGathering | null;
  readonly priority: Template | null;
  /** `plan.labels`: they render without failing on what is missing. */
  readonly labels: readonly PreparedLabel[];
  /** True when a template that is evaluated before the run begins uses the tenant's variables. */
  readonly usesVarsAtStart: boolean;
  /** True when a template uses the tenant's variables, which must then be loaded for each run. */
  readonly usesVars: boolean;
}
