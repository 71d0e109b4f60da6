import type { Json, JsonObject } from '../lib/json';

/** `500ms`, `30s`, `1h30m`, `7d`, or a number of seconds. */
export type DurationText = string | number;

/** The shapes of back-off between attempts. */
export const BACKOFFS = ['fixed', 'linear', 'exponential'] as const;
export type Backoff = (typeof BACKOFFS)[number];

/** What a failed step means for the run, unless it has steps for it. */
export const ON_ERROR = ['fail', 'continue'] as const;
export type OnError = (typeof ON_ERROR)[number];

/** What a run does that finds as many runs of its key under way as may be. */
export const ON_CONFLICT = ['queue', 'skip', 'cancel_running'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

/** How many runs of one key go on at a time, as users write it. */
export interface ConcurrencyDocument {
  /** Text with expressions; runs for whom it comes to the same text share the limit. */
  key: string;
  /** 1 to 1000 (1). */
  limit?: number;
  /** `queue` (default): the run waits for its turn; `skip`: it ends; `cancel_running`: the older ones end. */
  on_conflict?: OnConflict;
}

/** How a step is tried again, as users write it. */
export interface RetryDocument {
  /** Attempts in all, up to 100 (1). */
  max_attempts?: number;
  /** `fixed`, `linear` (grows by the first delay) or `exponential` (grows by the factor; the default). */
  backoff?: Backoff;
  /** The first delay (`1s`). */
  initial_interval?: DurationText;
  /** The longest delay (`5m`). */
  max_interval?: DurationText;
  /** Growth of an exponential delay (2). */
  factor?: number;
  /** Share of the delay, 0 to 1, by which it is varied to both sides (0.2). */
  jitter?: number;
}

/** What starts a run, as users write it. */
export interface TriggerDocument {
  type: string;
  config?: JsonObject;
}

/** How long an output counts for later runs, as users write it. */
export interface CacheDocument {
  ttl: DurationText;
  /** Runs whose keys are equal share the output; without it, those whose input is. */
  key?: string;
}

/** A condition and the steps for when it holds. */
export interface CaseDocument {
  when: string | boolean;
  steps: StepDocument[];
}

/** One of several lists of steps that run side by side. */
export interface BranchDocument {
  id: string;
  steps: StepDocument[];
}

/** One step, as users write it. Unknown keys that begin with `x_` and the canvas's own are kept beside these. */
export interface StepDocument {
  /** Once in a document; its output is `steps.<id>`. */
  id: string;
  /** A node type, a type of steps that hold others, or an alias of one. */
  type: string;
  /** Text for people. */
  name?: string;
  /** Settings of the node type; strings may hold expressions. */
  config?: JsonObject;
  /** Ids of steps of the same list. */
  needs?: string[];
  /** One expression in braces, or a plain boolean. */
  if?: string | boolean;
  /** Each member wins over the document's. */
  retry?: RetryDocument;
  /** Longest time for one attempt; 60 s unless it, or the node type, says so. */
  timeout?: DurationText;
  /** What its failure means: `fail` (default), `continue`, or steps that run then. */
  on_error?: OnError | StepDocument[];
  /** Steps that undo this one. */
  compensate?: StepDocument[];
  /** For how long later runs with the same input take its output instead of running it. */
  cache?: DurationText | CacheDocument;
  /** The output that runs started by hand take instead of running it. */
  pin?: JsonObject;
  /** Of `branch`. */
  cases?: CaseDocument[];
  /** Of `branch`. */
  else?: StepDocument[];
  /** Of `parallel`. */
  branches?: BranchDocument[];
  /** Of `parallel`: for how many branches it waits. */
  wait?: 'all' | 'any' | number;
  /** Of `foreach`, `while` and `try`. */
  steps?: StepDocument[];
  /** Of `try`. */
  catch?: StepDocument[];
  /** Of `try`. */
  finally?: StepDocument[];
}

/** A workflow, as users write it; `validateDocument` has found no error in one of this type. */
export interface WorkflowDocument {
  /** A letter, then up to 63 letters, digits, `_` or `-`. */
  id: string;
  /** Text for people. */
  name?: string;
  /** Text for people. */
  description?: string;
  /** One of `trigger` and `triggers` is there. */
  trigger?: TriggerDocument;
  triggers?: TriggerDocument[];
  /** They run in this order unless they say what they need. */
  steps: StepDocument[];
  /** How steps are tried again that do not say so themselves. */
  retry?: RetryDocument;
  /** Longest time for the whole run. */
  timeout?: DurationText;
  /** Steps that run when the run fails. */
  on_error?: StepDocument[];
  /** A JSON Schema of what it is started with. */
  inputs?: JsonObject;
  /** How many runs of one key go on at a time. */
  concurrency?: ConcurrencyDocument;
  /** What the run returns, with expressions; without it, the output of the last step that completed. */
  output?: Json;
}

/** Names of documents and steps. */
export const ID_PATTERN = /^[A-Za-z][\w-]{0,63}$/;

/** Names of secrets. */
export const SECRET_PATTERN = /^[A-Za-z_]\w{0,127}$/;

/** What one document may hold. */
export const LIMITS = { steps: 500, depth: 10, jsonDepth: 64, expressions: 20_000 } as const;

/** A JSON Schema as node types carry it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Something about a step's configuration that no schema can say; `path` is that of the member, as `source`. */
export interface ConfigFinding {
  readonly kind: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** What the language must know of a node type; the registry's own entries fit. */
export interface NodeTypeInfo {
  readonly type: string;
  readonly version?: number;
  readonly kind: 'control' | 'work';
  readonly inputSchema: JsonSchema;
  readonly aliases?: readonly string[];
  /** Names of secrets that it uses itself, whatever the step says. */
  readonly secrets?: readonly string[];
  /** How long an attempt may take where the step does not say. */
  readonly timeoutMs?: number;
  /** What else is wrong with a configuration as it is written, with its expressions; `known` tells names of step types. */
  check?(config: JsonObject, known: (type: string) => boolean): readonly ConfigFinding[];
}

/** Node types by canonical name; aliases stand in the entries. */
export type NodeTypes = ReadonlyMap<string, NodeTypeInfo>;
