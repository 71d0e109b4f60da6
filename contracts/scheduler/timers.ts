import type { MissedPolicy, OverlapPolicy } from './views';

/** A validated `schedule` trigger of a workflow, with its defaults. */
export interface ScheduleTimer {
  kind: 'schedule';
  /** Index in the workflow's triggers. */
  index: number;
  /** As written; exactly one of the two is set. */
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

/** A validated polling trigger of a workflow, with its defaults. */
export interface PollTimer {
  kind: 'poll';
  /** Index in the workflow's triggers. */
  index: number;
  /** The type of the source. */
  type: string;
  /** As written. */
  every: string;
  every_ms: number;
  /** The other settings, as JSON text, with names of secrets instead of values. */
  config: string;
}

/** A trigger that fires by time. */
export type Timer = ScheduleTimer | PollTimer;
