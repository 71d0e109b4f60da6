import type { Json, JsonObject } from '../../lib/json';
import type { StepError } from '../../nodes/contract';
import type { Entry, Opening, Wait } from './entry';
import { Inside } from './inside';

/** Where one step stands. `failures` counts failed attempts; an interrupted attempt is none. */
export type StepState =
  | { kind: 'running'; attempt: number; failures: number; started: number }
  | { kind: 'waiting'; attempt: number; failures: number; since: number; wait: Wait; rerun: boolean; note?: string }
  | { kind: 'retrying'; attempt: number; failures: number; since: number; retryAt: number; error: StepError }
  | { kind: 'resumed'; attempt: number; failures: number }
  | OpenedStep
  | { kind: 'completed'; output: JsonObject }
  /** `culprit`: the path of the innermost step that is to blame, itself if it holds no others. */
  | { kind: 'failed'; error: StepError; culprit: string; at: number }
  | { kind: 'skipped' }
  | { kind: 'cancelled' };

/**
 * A step that holds others, and has begun. `undoables`: how many steps could be undone before; `results`: those of the
 * items that are done, by index; `turn`: the last that has begun, -1 for none.
 */
export interface OpenedStep {
  readonly kind: 'opened';
  readonly since: number;
  readonly opening: Opening;
  readonly undoables: number;
  readonly results: Map<number, Json>;
  turn: number;
}

/** What a step has noted of its parts: null where a part has begun, and nothing says how it ended. */
export type Notes = Map<string, { readonly value: Json } | null>;

export type Closing = Extract<Entry, { kind: 'run.closing' }>;

/** What only the steps inside one item of a foreach see. `kept`: something in it may have to be undone. */
export interface ItemScope {
  readonly outputs: JsonObject;
  readonly item: Json;
  kept: boolean;
}

/** Where a foreach is: the items under way, the first that has not been looked at, and why it fails, once it does. */
export interface LoopCursor {
  readonly live: Set<number>;
  next: number;
  failure: { readonly culprit: string; readonly error: StepError; readonly at: number } | null;
}

/** A completed step that can be undone. The output is its own: a later turn of a loop may have put out another one. */
export interface Undoable {
  readonly path: string;
  readonly output: JsonObject;
}

/** What is still to be done before the run ends: by the block `key` of the step at `path`. */
export type Cleanup = { readonly key: 'compensate' | 'finally'; readonly path: string };

/** A message to a run: a signal, a decision, a cancellation. Durable before the sender is answered. */
export interface Mail {
  readonly id: string;
  readonly name: string;
  readonly data: JsonObject;
  readonly by: string | null;
  readonly at: number;
}

/** Name of the message that cancels a run. No user may send it: signal names of users never begin with `$`. */
export const CANCEL = '$cancel';

/** Messages are taken in the order in which they were sent, in whichever order they came to be known. */
export const bySending = (a: Mail, b: Mail): number => a.at - b.at || (a.id < b.id ? -1 : 1);

/**
 * What is known of a run: a fold over its entries, and nothing else, except for the volatile part, which a new owner
 * begins empty: `flights` are attempts in progress on this host, `mail` is what has arrived and no entry has taken,
 * `cursors` and `loops` tell a walk where to go on, `overdue` are steps out of time that are being ended.
 */
export interface RunState {
  /** By path. What is inside of a step that holds others is forgotten when that settles, a turn or item when it is over. */
  readonly steps: Map<string, StepState>;
  readonly inside: Inside;
  /** Paths of the steps that have begun and not settled: few, however long the run. */
  readonly open: Set<string>;
  /** Outputs by step id, for expressions, but for those inside the items of loops. No prototype: ids come from users. */
  readonly outputs: JsonObject;
  /** The items of loops that are under way, by the paths of their blocks. */
  readonly items: Map<string, ItemScope>;
  /** By path, until the step settles. */
  readonly notes: Map<string, Notes>;
  /** In the order in which they were done. */
  readonly undoables: Undoable[];
  /** Once the run is closing: what is left to be done, in this order. */
  cleanup: readonly Cleanup[];
  /** Ids of mail that an entry has taken. */
  readonly taken: Set<string>;
  /** Runs that steps have started, or were about to, to wait for their ends, and have not seen them; the steps' paths. */
  readonly children: Map<string, string>;
  /** What a caller who waits is answered with. */
  response: JsonObject | null;
  /** About how many characters the history has: it is held in memory, and read again as a whole by every look at it. */
  size: number;
  /** How many steps have completed or failed in this run; one in a loop counts each time. */
  stepsRun: number;
  /** Sums over all steps. */
  tokens: number;
  costUsd: number;
  /** Every entry so far was taken over from an earlier run. */
  inherited: boolean;
  closing: Closing | null;
  ended: Extract<Entry, { kind: 'run.ended' }> | null;
  readonly flights: Set<string>;
  readonly mail: Mail[];
  /** How many steps of a block, by its path, are behind: those before it need not be looked at again. */
  readonly cursors: Map<string, number>;
  readonly loops: Map<string, LoopCursor>;
  readonly overdue: Set<string>;
}

export const emptyState = (): RunState => ({
  steps: new Map(),
  inside: new Inside(),
  open: new Set(),
  outputs: Object.create(null) as JsonObject,
  items: new Map(),
  notes: new Map(),
  undoables: [],
  cleanup: [],
  taken: new Set(),
  children: new Map(),
  response: null,
  size: 0,
  stepsRun: 0,
  tokens: 0,
  costUsd: 0,
  inherited: true,
  closing: null,
  ended: null,
  flights: new Set(),
  mail: [],
  cursors: new Map(),
  loops: new Map(),
  overdue: new Set(),
});
