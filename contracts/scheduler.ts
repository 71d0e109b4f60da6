import { contract } from './contract';
import { id, typed } from './rules';
import { ErrorCodes } from './shared';
import * as s from '../lib/schema';

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

export const MissedPolicy = s.named(
  'MissedPolicy',
  s.words('all', 'last', 'skip'),
  'How fire times that were missed are handled.',
);
export type MissedPolicy = s.Infer<typeof MissedPolicy>;

export const OverlapPolicy = s.named(
  'OverlapPolicy',
  s.words('allow', 'queue', 'skip'),
  'How a fire time is handled while the previous run is still running.',
);
export type OverlapPolicy = s.Infer<typeof OverlapPolicy>;

export const SlotOutcome = s.named(
  'SlotOutcome',
  s.words('failed', 'fired', 'late', 'missed', 'refused', 'skipped'),
  'The outcome of a fire time: started in time (`fired`), started more than a minute late (`late`), not started because no process ran (`missed`), because the previous run was still running (`skipped`), because the workflow may not start (`refused`), or because all attempts failed (`failed`).',
);
export type SlotOutcome = s.Infer<typeof SlotOutcome>;

export const SlotView = s.named(
  'SlotView',
  s.object({
    scheduled_for: s.text,
    fired_at: s.text.about('When it was decided.'),
    execution_id: s.text.nullable().about('Null when nothing was started.'),
    status: s
      .words('cancelled', 'completed', 'failed', 'running')
      .nullable()
      .about('Of the execution; null when there is none any more.'),
    outcome: SlotOutcome,
    lag_ms: s.number.about('From the moment when it was to start; its jitter is no lag.'),
    error: s
      .object({
        code: ErrorCodes,
        message: s.text,
      })
      .nullable()
      .about('Why nothing was started.'),
  }),
  'An entry of the schedule history. Times are RFC 3339.',
);
export type SlotView = s.Infer<typeof SlotView>;

export const ScheduleView = s.named(
  'ScheduleView',
  s.object({
    type: s.constant('schedule'),
    cron: s.text.optional(),
    every: s.text.optional(),
    timezone: s.text,
    paused: s.boolean.about('The workflow is disabled, or waits for approval.'),
    next_runs: s.array(s.text).about('When it will start, jitter included; none while paused.'),
    recent_runs: s.array(SlotView).about('Newest first.'),
    missed_policy: MissedPolicy,
    window_ms: s.number,
    overlap_policy: OverlapPolicy,
    jitter_ms: s.number,
  }),
  'A schedule as its tenant sees it.',
);
export type ScheduleView = s.Infer<typeof ScheduleView>;

export const ItemView = s.named(
  'ItemView',
  s.object({
    item: s.text.about('What the source calls it.'),
    found_at: s.text.about('When its source was asked.'),
    execution_id: s.text.nullable(),
    status: s
      .words('cancelled', 'completed', 'failed', 'running')
      .nullable()
      .about('Of the execution; null when there is none any more.'),
    outcome: s.words('fired', 'refused'),
    error: s
      .object({
        code: ErrorCodes,
        message: s.text,
      })
      .nullable()
      .about('Why nothing was started.'),
  }),
  'An item of a source, and what became of it. Times are RFC 3339.',
);
export type ItemView = s.Infer<typeof ItemView>;

export const PollView = s.named(
  'PollView',
  s.object({
    type: s.text,
    every: s.text,
    paused: s.boolean.about('The workflow is disabled, or waits for approval.'),
    next_poll: s.text.nullable().about('When it is asked next; null while paused.'),
    last_poll_at: s.text.nullable().about('When it was asked last, and when it last had an answer that could be read.'),
    last_ok_at: s.text.nullable(),
    failures: s.number.about('How often in a row it could not be asked, or its items not be started.'),
    trouble: s
      .object({
        code: s.text,
        message: s.text,
      })
      .nullable()
      .about('What happened last, while it goes wrong.'),
    recent_runs: s.array(ItemView).about('Newest first.'),
    items_seen: s.number.about('Items that have started runs, or were refused, since the trigger was made.'),
  }),
  'A source as its tenant sees it.',
);
export type PollView = s.Infer<typeof PollView>;

export const TriggerView = s.named('TriggerView', s.union(PollView, ScheduleView));
export type TriggerView = s.Infer<typeof TriggerView>;

const count = { type: 'number', integer: true, min: 0 } as const;

const word = { type: 'string', max: 200, nullable: true } as const;

const scheduleTimer = {
  type: 'object',
  props: {
    kind: { type: 'equal', value: 'schedule', strict: true },
    index: count,
    cron: word,
    every: word,
    every_ms: { ...count, nullable: true },
    timezone: { type: 'string', max: 200 },
    jitter_ms: count,
    missed: { type: 'enum', values: ['skip', 'last', 'all'] },
    window_ms: count,
    overlap: { type: 'enum', values: ['allow', 'skip', 'queue'] },
  },
} as const;

const pollTimer = {
  type: 'object',
  props: {
    kind: { type: 'equal', value: 'poll', strict: true },
    index: count,
    type: { type: 'string', max: 100 },
    every: { type: 'string', max: 200 },
    every_ms: { type: 'number', integer: true, min: 1 },
    config: { type: 'string', max: 1_000_000 },
  },
} as const;

export const schedulerContract = contract('scheduler', {
  /** Sets the schedules and sources of a workflow as of a revision; an older revision than the stored one is ignored. */
  sync: {
    access: 'internal',
    repeatable: true,
    summary: 'Makes the schedules and sources of a workflow what its triggers say',
    params: {
      workflow_id: id,
      revision: count,
      active: { type: 'boolean' },
      timers: typed<Timer[]>()({ type: 'array', max: 100, items: [scheduleTimer, pollTimer] }),
    },
    result: s.nothing,
  },
  /** When schedules and sources of workflows are due next; workflows without one are left out. */
  next: {
    access: 'internal',
    repeatable: true,
    summary: 'When schedules and sources of workflows are due next',
    params: { workflow_ids: { type: 'array', items: 'string', max: 200 } },
    result: s.typed<{ data: { workflow_id: string; at: string }[] }>(),
  },
  /** The schedules and sources of a workflow, in the order of its triggers. */
  state: {
    access: 'internal',
    repeatable: true,
    summary: 'The schedules and sources of a workflow: when they are due, and what became of their last times',
    params: { workflow_id: id },
    result: s.typed<{ schedules: TriggerView[] }>(),
  },
});
