import type { Json, JsonObject } from '../../lib/json';
import type { StepError, Usage, WaitSpec } from '../../nodes/contract';

/** How a run ended. */
export type EndStatus = 'completed' | 'failed' | 'cancelled';

/** Why a run failed; `step_id` is null when no step is to blame. */
export interface RunError extends StepError {
  readonly step_id: string | null;
}

/** Why a step waits: what its node asked for, or the end of a run that it has started. */
export type Wait = WaitSpec | { kind: 'child'; executionId: string; until: null };

/** What was decided, for good, when a step began that holds others. */
export type Opening =
  /** The index of the case whose condition held; `else` when none did. */
  | { kind: 'branch'; chosen: number | 'else' }
  | { kind: 'parallel' }
  | { kind: 'foreach'; items: Json[]; concurrency: number }
  | { kind: 'while' }
  /** `finally`: it has steps that run whatever becomes of the others. */
  | { kind: 'try'; finally?: true };

/** A line that a step wrote into the log, masked. Kept in runs alone that test a step. */
export interface StepLine {
  at: number;
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  data?: Json;
}

/**
 * One fact of a run's history. A step is named by its path and attempt, never by position, so that branches may
 * interleave. `at` and `started` are epoch milliseconds. `input` is masked; `output` holds seals where secrets stood.
 * Members are only ever added: histories of older versions stay readable.
 */
export type Entry =
  /** The intent of an effect: durable before the effect begins. */
  /** `child`: the run that is about to be started, and whose end the step will wait for. */
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
      /** Taken over from this execution instead of run. */
      from?: string;
      /** Not run: the author has pinned it, or a cache had it. */
      instead?: 'pin' | 'cache';
      usage?: Usage;
      /** The plan knows how to undo it. */
      undo?: true;
      /** It is what a caller who waits is answered with. */
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
      /** Of a step that holds others: the innermost step that is to blame. Absent: the step itself. */
      culprit?: string;
      usage?: Usage;
      input?: Json;
      mail?: string;
      /** Taken over from this execution. */
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
      /** The end of the wait is noted under this key, and the step goes on. */
      note?: string;
      input?: Json;
    }
  /** A person said yes to running an interrupted step again, or what a step waited for is noted. */
  | { kind: 'step.resumed'; path: string; at: number; mail?: string }
  /** A part of a step: with `value` it is done, without one it begins. */
  | {
      kind: 'step.noted';
      path: string;
      attempt: number;
      at: number;
      key: string;
      value?: Json;
      usage?: Usage;
    }
  /** A step that holds others has begun. Its end is `step.completed`, `step.failed` or `step.cancelled`, as of any. */
  | { kind: 'step.opened'; path: string; at: number; opening: Opening; from?: string }
  /** A turn of a `while` begins. */
  | { kind: 'loop.turn'; path: string; at: number; index: number; from?: string }
  /** An item of a `foreach` is done; `last`: the id of the step whose output is its result. */
  | { kind: 'loop.item'; path: string; at: number; index: number; last: string | null; from?: string }
  | { kind: 'step.skipped'; path: string; at: number; from?: string }
  | { kind: 'step.cancelled'; path: string; at: number }
  /** The run is going to end so, once what it has done is undone, and those who handle errors have had their turn. */
  | { kind: 'run.closing'; at: number; status: EndStatus; error: RunError | null }
  | { kind: 'run.ended'; at: number; status: EndStatus; output: Json; error: RunError | null };

/** An entry about a step: every one but those about the run as a whole. */
export type StepEntry = Exclude<Entry, { kind: 'run.closing' } | { kind: 'run.ended' }>;

/** One flush of an actor: what one journal document holds. `n` counts from 1 without a gap. */
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
