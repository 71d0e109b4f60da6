import type { ErrorCode } from '../../lib/errors';
import type { ExecutionStatus } from '../executor/contract';

/** What becomes of starts that nobody was there to make in time. */
export type MissedPolicy = 'skip' | 'last' | 'all';
/** What becomes of a start while the run before it goes on. */
export type OverlapPolicy = 'allow' | 'skip' | 'queue';

/** A `schedule` trigger of a workflow, as the language has checked it, with its defaults. */
export interface ScheduleTimer {
  kind: 'schedule';
  /** Its place among the workflow's triggers. */
  index: number;
  /** As written; exactly one of the two is there. */
  cron: string | null;
  every: string | null;
  /** Null for a cron expression. */
  every_ms: number | null;
  timezone: string;
  jitter_ms: number;
  missed: MissedPolicy;
  window_ms: number;
  overlap: OverlapPolicy;
}

/** A trigger that asks a source now and then what is new, as the language has checked it, with its defaults. */
export interface PollTimer {
  kind: 'poll';
  /** Its place among the workflow's triggers. */
  index: number;
  /** Which source. */
  type: string;
  /** As written. */
  every: string;
  every_ms: number;
  /** The other settings, as JSON text; secrets are named in it. */
  config: string;
}

/** A trigger that comes by itself, by the clock. */
export type Timer = ScheduleTimer | PollTimer;

/**
 * What became of a time: started in time (`fired`), after more than a minute (`late`), not at all since nobody was there
 * (`missed`), since the run before it went on (`skipped`), since the workflow may not start now (`refused`), or since it
 * could not be started for as long as it was worth trying (`failed`).
 */
export type SlotOutcome = 'fired' | 'late' | 'missed' | 'skipped' | 'refused' | 'failed';

/** A line of the ledger. Times are RFC 3339. */
export interface SlotView {
  scheduled_for: string;
  /** When it was decided. */
  fired_at: string;
  /** Null when nothing was started. */
  execution_id: string | null;
  /** Of the execution; null when there is none any more. */
  status: ExecutionStatus | null;
  outcome: SlotOutcome;
  /** From the moment when it was to start; its jitter is no lag. */
  lag_ms: number;
  /** Why nothing was started. */
  error: { code: ErrorCode; message: string } | null;
}

/** A schedule as its tenant sees it. */
export interface ScheduleView {
  type: 'schedule';
  cron?: string;
  every?: string;
  timezone: string;
  /** The workflow is disabled, or waits for approval. */
  paused: boolean;
  /** When it will start, jitter included; none while paused. */
  next_runs: string[];
  /** Newest first. */
  recent_runs: SlotView[];
  missed_policy: MissedPolicy;
  window_ms: number;
  overlap_policy: OverlapPolicy;
  jitter_ms: number;
}

/** An item of a source, and what became of it. Times are RFC 3339. */
export interface ItemView {
  /** What the source calls it. */
  item: string;
  /** When its source was asked. */
  found_at: string;
  execution_id: string | null;
  /** Of the execution; null when there is none any more. */
  status: ExecutionStatus | null;
  outcome: 'fired' | 'refused';
  /** Why nothing was started. */
  error: { code: ErrorCode; message: string } | null;
}

/** A source as its tenant sees it. */
export interface PollView {
  type: string;
  every: string;
  /** The workflow is disabled, or waits for approval. */
  paused: boolean;
  /** When it is asked next; null while paused. */
  next_poll: string | null;
  /** When it was asked last, and when it last had an answer that could be read. */
  last_poll_at: string | null;
  last_ok_at: string | null;
  /** How often in a row it could not be asked, or its items not be started. */
  failures: number;
  /** What happened last, while it goes wrong. */
  trouble: { code: string; message: string } | null;
  /** Newest first. */
  recent_runs: ItemView[];
  /** Items that have started runs, or were refused, since the trigger was made. */
  items_seen: number;
}

export type TriggerView = ScheduleView | PollView;

export interface SchedulerActions {
  /** Internal: what a workflow's schedules and sources are since a revision of it; older revisions change nothing. */
  'scheduler.sync': (p: { workflow_id: string; revision: number; active: boolean; timers: Timer[] }) => void;
  /** Internal: the schedules and sources of a workflow, in the order of its triggers. */
  'scheduler.state': (p: { workflow_id: string }) => { schedules: TriggerView[] };
}
