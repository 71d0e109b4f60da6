import type { Json, JsonObject } from '../../../lib/json';
import type { StepError, Usage, WaitSpec } from '../../../nodes/contract';

/** How a run ended. */
export type EndStatus = 'completed' | 'failed' | 'cancelled';

/** The error of a run; `step_id` is null when no step caused it. */
export interface RunError extends StepError {
  readonly step_id: string | null;
}

/**
 * What a step waits for: a request of its node, the end of a child, or its turn to use a connection, for which it asks at
 * `until` at the latest; then its attempt begins.
 */
export type Wait =
  | WaitSpec
  | { kind: 'child'; executionId: string; until: null }
  | { kind: 'connection'; connection: string; until: number };

/** What was decided, once, when a container step began. */
export type ControlState =
  /** The index of the case whose condition held; `else` when none did. */
  | { kind: 'branch'; chosen: number | 'else' }
  | { kind: 'parallel' }
  | { kind: 'foreach'; items: Json[]; concurrency: number }
  | { kind: 'while' }
  /** `finally`: the step has a `finally` block. */
  | { kind: 'try'; finally?: true };

/** A log line of a step, redacted. Stored only in step tests. */
export interface StepLine {
  at: number;
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  data?: Json;
}

/**
 * One entry of a run's history. A step is identified by its path and attempt, never by position, so that branches may
 * interleave. `at` and `started` are epoch milliseconds. `input` is redacted; `output` contains placeholders instead of
 * secrets. Members are only ever added: old histories stay readable.
 */
export type Entry =
  /** The intent of an effect: durable before the effect begins. */
  /** `child`: the run that is about to be started and awaited. */
  | { kind: 'step.started'; path: string; attempt: number; at: number; input: Json; child?: string }
  /** `input` is absent when `step.started` has it; `mail` is the message that completed a waiting step. */
  | {
      kind: 'step.completed';
      path: string;
      attempt: number;
      at: number;
      started: number;
      output: JsonObject;
      input?: Json;
      mail?: string;
      /** Reused from this execution. */
      from?: string;
      /** Not executed: the output is pinned, or comes from a cache. */
      instead?: 'pin' | 'cache';
      usage?: Usage;
      /** The step has a `compensate` block. */
      undo?: true;
      /** The output is the response to a waiting caller. */
      response?: true;
      logs?: StepLine[];
    }
  /** One failed attempt. `retryAt`: when the next one is due; null: the step has failed for good. */
  | {
      kind: 'step.failed';
      path: string;
      attempt: number;
      at: number;
      started: number;
      error: StepError;
      retryAt: number | null;
      /** Of a container step: the innermost step that failed. Absent: the step itself. */
      culprit?: string;
      usage?: Usage;
      input?: Json;
      mail?: string;
      /** Reused from this execution. */
      from?: string;
      logs?: StepLine[];
    }
  | {
      kind: 'step.waiting';
      path: string;
      attempt: number;
      at: number;
      started: number;
      wait: Wait;
      rerun?: true;
      /** The end of the wait is recorded as the checkpoint of this key, and the step continues. */
      note?: string;
      input?: Json;
    }
  /** A person approved the repetition of an interrupted step, or the result of a wait was recorded as a checkpoint. */
  | { kind: 'step.resumed'; path: string; at: number; mail?: string }
  /** A memoized sub-step: with `value` it is done, without it it begins. */
  | {
      kind: 'step.noted';
      path: string;
      attempt: number;
      at: number;
      key: string;
      value?: Json;
      usage?: Usage;
    }
  /** A container step has begun. It ends with `step.completed`, `step.failed` or `step.cancelled`, as any step. */
  | { kind: 'step.opened'; path: string; at: number; opening: ControlState; from?: string }
  /** An iteration of a `while` begins. */
  | { kind: 'loop.turn'; path: string; at: number; index: number; from?: string }
  /** An item of a `foreach` is done; `last`: the id of the step whose output is its result. */
  | { kind: 'loop.item'; path: string; at: number; index: number; last: string | null; from?: string }
  | { kind: 'step.skipped'; path: string; at: number; from?: string }
  | { kind: 'step.cancelled'; path: string; at: number }
  /** Nothing of the run begins from here on, until `run.resumed` or `run.closing`. `rev`: of the request. */
  | { kind: 'run.paused'; at: number; rev: number; by: string | null; reason: string | null }
  | { kind: 'run.resumed'; at: number; rev: number; by: string | null; reason: string | null }
  /** The end of the run is decided; cleanup runs before it. */
  | { kind: 'run.closing'; at: number; status: EndStatus; error: RunError | null }
  | { kind: 'run.ended'; at: number; status: EndStatus; output: Json; error: RunError | null };

/** An entry about a step. */
export type StepEntry = Exclude<Entry, { kind: 'run.paused' | 'run.resumed' | 'run.closing' | 'run.ended' }>;

/** One flush of an actor, stored as one journal document. `n` counts from 1 without a gap. */
export interface JournalRecord {
  readonly executionId: string;
  readonly n: number;
  /** The claim under which it was written. */
  readonly epoch: number;
  readonly host: string;
  readonly at: number;
  /** Entries of this run before this record. */
  readonly before: number;
  /** The entries, as the text of a JSON list (see `codec.ts`). */
  readonly json: string;
}
