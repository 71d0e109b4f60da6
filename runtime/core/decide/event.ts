import type { Json } from '../../../lib/json';
import type { CheckpointedResult, Outcome } from '../../../nodes/contract';
import type { RunError, StepLine, Wait } from '../entries/entry';
import type { Message } from '../state/state';
import type { PauseRequest } from '../model';
import type { ReusedEntry } from '../reuse/reuse';

/** The result of an attempt. Requests of the node, such as the start of a child, have been carried out. */
export type AttemptResult =
  | Exclude<Outcome, { kind: 'wait' } | { kind: 'start_child' }>
  | { kind: 'wait'; wait: Wait; note?: string }
  /** The step has not begun: it has to wait for its connection. */
  | { kind: 'hold'; connection: string; until: number }
  /** The awaited result is available at once: the step continues with it. */
  | { kind: 'noted'; note: string; end: CheckpointedResult };

/** A finished attempt. `input` is redacted; absent when it could not be resolved. */
export interface AttemptResultEvent {
  readonly kind: 'result';
  readonly path: string;
  readonly attempt: number;
  readonly started: number;
  readonly outcome: AttemptResult;
  readonly input?: Json;
  /** The output comes from a cache. */
  readonly instead?: 'cache';
  /** Log lines, only of step tests. */
  readonly logs?: StepLine[];
}

/** An event of a run. */
export type RunEvent =
  /** A host has activated the run, for the first time or after another host. */
  | { kind: 'resume' }
  /** Entries reused from an earlier run; no step begins before `resume`. */
  | { kind: 'reuse'; from: string; entries: readonly ReusedEntry[] }
  | AttemptResultEvent
  /** An attempt that was to begin has not, as the run was paused before its intent was recorded. */
  | { kind: 'held'; path: string }
  | { kind: 'due' }
  /** The run must not begin. */
  | { kind: 'refused'; error: RunError }
  | { kind: 'messages'; messages: readonly Message[]; pause?: PauseRequest | null };
