import type { Json } from '../../lib/json';
import type { NoteOfEnd, Outcome } from '../../nodes/contract';
import type { RunError, StepLine, Wait } from '../record/entry';
import type { Mail } from '../record/state';
import type { Taken } from './inherit';

/** What became of an attempt; what a node could only ask for, its host has done. */
export type Settled =
  | Exclude<Outcome, { kind: 'wait' } | { kind: 'start_child' }>
  | { kind: 'wait'; wait: Wait; note?: string }
  /** What the step wanted to note the end of has ended at once: it goes on. */
  | { kind: 'noted'; note: string; end: NoteOfEnd };

/** An attempt that is over. `input`: masked; absent where it could not be made. */
export interface SettledEvent {
  readonly kind: 'settled';
  readonly path: string;
  readonly attempt: number;
  readonly started: number;
  readonly outcome: Settled;
  readonly input?: Json;
  /** A cache had the output. */
  readonly instead?: 'cache';
  /** What it wrote into the log; only of tests. */
  readonly logs?: StepLine[];
}

/** What a run is told. */
export type RunEvent =
  /** A host has taken the run on, new or after another. */
  | { kind: 'resume' }
  /** A part of what is taken over of an earlier run; nothing begins before a resume. */
  | { kind: 'inherit'; from: string; taken: readonly Taken[] }
  | SettledEvent
  | { kind: 'due' }
  /** It may not begin. */
  | { kind: 'refused'; error: RunError }
  | { kind: 'mail'; mail: readonly Mail[] };
