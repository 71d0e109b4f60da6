import type { Json, JsonObject } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { Entry, ControlState, Wait } from '../entries/entry';
import type { PauseRequest } from '../model';
import { PathTree } from './path-tree';

/** The state of a step. `failures` counts failed attempts; interrupted ones do not count. */
export type StepState =
  | { kind: 'running'; attempt: number; failures: number; started: number }
  | { kind: 'waiting'; attempt: number; failures: number; since: number; wait: Wait; rerun: boolean; note?: string }
  | { kind: 'retrying'; attempt: number; failures: number; since: number; retryAt: number; error: StepError }
  | { kind: 'resumed'; attempt: number; failures: number }
  | ContainerState
  | { kind: 'completed'; output: JsonObject }
  /** `failedStepPath`: the innermost step that failed; the step itself if it is no container. */
  | { kind: 'failed'; error: StepError; failedStepPath: string; at: number }
  | { kind: 'skipped' }
  | { kind: 'cancelled' };

/**
 * An open container step. `undoables`: number of compensatable steps before it; `results`: results of completed items,
 * by index; `iteration`: the last that has begun, -1 for none.
 */
export interface ContainerState {
  readonly kind: 'opened';
  readonly since: number;
  readonly controlState: ControlState;
  readonly undoables: number;
  readonly results: Map<number, Json>;
  iteration: number;
}

/** Checkpoints of a step by key: null for a sub-step that has begun without a recorded result. */
export type Checkpoints = Map<string, { readonly value: Json } | null>;

export type ClosingEntry = Extract<Entry, { kind: 'run.closing' }>;
type PausedEntry = Extract<Entry, { kind: 'run.paused' }>;

/** Outputs visible inside one item of a foreach. `kept`: something in it may have to be compensated. */
interface ItemScope {
  readonly outputs: JsonObject;
  readonly item: Json;
  kept: boolean;
}

/** Progress of a foreach: active items, the next item to begin, and the failure that ends the loop. */
export interface LoopCursor {
  readonly active: Set<number>;
  /** Active items in which something has changed since they were walked. A loop in a later cleanup is not walked by each decision. */
  readonly moved: Set<number>;
  next: number;
  failure: { readonly failedStepPath: string; readonly error: StepError; readonly at: number } | null;
}

/** A completed step with `compensate`. The output is stored here: a later iteration may have another one. */
export interface Undoable {
  readonly path: string;
  readonly output: JsonObject;
}

/** A pending cleanup: the block `key` of the step at `path`. */
export type Cleanup = { readonly key: 'compensate' | 'finally'; readonly path: string };

/** A message to a run: a signal, a decision, a cancellation. Durable before the sender is answered. */
export interface Message {
  readonly id: string;
  readonly name: string;
  readonly data: JsonObject;
  readonly by: string | null;
  readonly at: number;
}

/** Name of the cancellation message. Users cannot send it: their signal names never begin with `$`. */
export const CANCEL = '$cancel';

/** Messages are consumed in the order in which they were sent, whatever order they arrived in. */
export const bySentAt = (a: Message, b: Message): number => a.at - b.at || (a.id < b.id ? -1 : 1);

/** The result of an expensive template: its value, its error, or still pending. */
export type Evaluation =
  | { readonly kind: 'pending' }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'refused'; readonly message: string };

/** By the path of a step that has not begun, and the name of the template. */
type Evaluations = Map<string, Map<string, Evaluation>>;

/**
 * The state of a run: a fold over its entries, except for the volatile part, which a new owner begins empty: `inFlight`
 * are attempts in progress on this host, `messages` are received and not consumed, `pauseRequest` is the last known
 * request to pause or resume, `cursors` and `loops` are positions of a walk, `overdue` are steps that are ended by their
 * timeout, `evaluations` are results of expensive templates, `turns` are the times at which steps ask again for their connections.
 */
export interface RunState {
  /**
   * By path. Entries inside a container step are removed when it settles; those of an iteration or item when it ends.
   */
  readonly steps: Map<string, StepState>;
  readonly tree: PathTree;
  /** Open steps: few, however long the run. */
  readonly open: Set<string>;
  /** Outputs by step id, except those inside items of loops. No prototype: ids come from users. */
  readonly outputs: JsonObject;
  /** Active items of loops, by the paths of their blocks. */
  readonly items: Map<string, ItemScope>;
  /** By path, until the step settles. */
  readonly checkpoints: Map<string, Checkpoints>;
  /** In the order of completion. */
  readonly undoables: Undoable[];
  /** Of a closing run: pending cleanup, in order. */
  cleanup: readonly Cleanup[];
  /** Ids of messages that an entry has consumed. */
  readonly consumedMessageIds: Set<string>;
  /** Awaited child runs whose ends are not recorded, with the paths of their steps. */
  readonly children: Map<string, string>;
  /** The response to a waiting caller. */
  response: JsonObject | null;
  /** The latest time of an entry, in epoch milliseconds; 0 before the first. */
  latestAt: number;
  /** Approximate size of the history, which is held in memory. */
  size: number;
  /** Completed and failed steps; one in a loop counts each time. */
  stepsRun: number;
  /** Sums over all steps. */
  tokens: number;
  costUsd: number;
  /** True while all entries are reused from an earlier run. */
  onlyReused: boolean;
  /** Nothing begins while the run is paused. */
  paused: PausedEntry | null;
  closing: ClosingEntry | null;
  ended: Extract<Entry, { kind: 'run.ended' }> | null;
  readonly inFlight: Set<string>;
  readonly messages: Message[];
  pauseRequest: PauseRequest | null;
  /** Number of settled steps at the start of a block, by its path; a walk skips them. */
  readonly cursors: Map<string, number>;
  readonly loops: Map<string, LoopCursor>;
  readonly overdue: Set<string>;
  readonly evaluations: Evaluations;
  /** By path, later or earlier than the wait that is recorded. */
  readonly turns: Map<string, number>;
}

export const emptyState = (): RunState => ({
  steps: new Map(),
  tree: new PathTree(),
  open: new Set(),
  outputs: Object.create(null) as JsonObject,
  items: new Map(),
  checkpoints: new Map(),
  undoables: [],
  cleanup: [],
  consumedMessageIds: new Set(),
  children: new Map(),
  response: null,
  latestAt: 0,
  size: 0,
  stepsRun: 0,
  tokens: 0,
  costUsd: 0,
  onlyReused: true,
  paused: null,
  closing: null,
  ended: null,
  inFlight: new Set(),
  messages: [],
  pauseRequest: null,
  cursors: new Map(),
  loops: new Map(),
  overdue: new Set(),
  evaluations: new Map(),
  turns: new Map(),
});
