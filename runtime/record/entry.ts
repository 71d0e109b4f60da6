import type { Json, JsonObject } from '../../lib/json';
import type { StepError, WaitSpec } from '../../nodes/contract';

/** How a run ended. */
export type EndStatus = 'completed' | 'failed' | 'cancelled';

/** Why a run failed; `step_id` is null when no step is to blame. */
export interface RunError extends StepError {
  readonly step_id: string | null;
}

/** Why a step waits: what its node asked for, or the end of a run that it has started. */
export type Wait = WaitSpec | { kind: 'child'; executionId: string; until: null };

/** What a step used of paid things. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cost_usd?: number;
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
      usage?: Usage;
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
      input?: Json;
      mail?: string;
    }
  | {
      kind: 'step.waiting';
      path: string;
      attempt: number;
      at: number;
      started: number;
      wait: Wait;
      rerun?: true;
      input?: Json;
    }
  /** A person said yes to running an interrupted step again. */
  | { kind: 'step.resumed'; path: string; at: number; mail: string }
  | { kind: 'step.skipped'; path: string; at: number }
  | { kind: 'step.cancelled'; path: string; at: number }
  | { kind: 'run.ended'; at: number; status: EndStatus; output: Json; error: RunError | null };

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
