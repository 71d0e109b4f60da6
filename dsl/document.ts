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
  key: string;
  limit?: number;
  on_conflict?: OnConflict;
}

/** How a step is tried again, as users write it. */
export interface RetryDocument {
  max_attempts?: number;
  backoff?: Backoff;
  initial_interval?: DurationText;
  max_interval?: DurationText;
  factor?: number;
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
  id: string;
  type: string;
  name?: string;
  config?: JsonObject;
  /** Ids of steps of the same list. */
  needs?: string[];
  /** One expression in braces, or a plain boolean. */
  if?: string | boolean;
  retry?: RetryDocument;
  timeout?: DurationText;
  on_error?: OnError | StepDocument[];
  compensate?: StepDocument[];
  cache?: DurationText | CacheDocument;
  pin?: JsonObject;
  cases?: CaseDocument[];
  else?: StepDocument[];
  branches?: BranchDocument[];
  wait?: 'all' | 'any' | number;
  steps?: StepDocument[];
  catch?: StepDocument[];
  finally?: StepDocument[];
}

/** A workflow that `validateDocument` has found no error in. */
export interface WorkflowDocument {
  id: string;
  name?: string;
  description?: string;
  /** One of `trigger` and `triggers` is there. */
  trigger?: TriggerDocument;
  triggers?: TriggerDocument[];
  steps: StepDocument[];
  retry?: RetryDocument;
  timeout?: DurationText;
  on_error?: StepDocument[];
  /** A JSON Schema. */
  inputs?: JsonObject;
  concurrency?: ConcurrencyDocument;
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
