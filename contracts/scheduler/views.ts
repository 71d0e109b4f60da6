import { ErrorCodes } from '../shared';
import * as s from '../../lib/schema';

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
  s.words('backfilled', 'failed', 'fired', 'late', 'manual', 'missed', 'refused', 'skipped'),
  'The outcome of a fire time: started in time (`fired`), started more than a minute late (`late`), not started because no process ran (`missed`), because the previous run was still running or the workflow has a `rate_limit` (`skipped`), because the workflow may not start (`refused`), or because all attempts failed (`failed`); started by hand (`manual`), or later for a range of times (`backfilled`).',
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
    trigger: s.number.about('Index of the trigger in the workflow, from 0.'),
    cron: s.text.optional(),
    every: s.text.optional(),
    timezone: s.text,
    paused: s.boolean.about('Starts nothing: it is paused itself, or its workflow is disabled or waits for approval.'),
    schedule_paused: s.boolean.about('Paused itself, by `POST /api/v1/workflows/{id}/schedule/pause`.'),
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
  'An item of a source and its outcome. Times are RFC 3339.',
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

export const ScheduleRow = s.named(
  'ScheduleRow',
  ScheduleView.extend({
    id: s.text,
    workflow_id: s.text,
    workflow_name: s.text,
    workflow_enabled: s.boolean.about('False for a disabled workflow, and for one that waits for approval.'),
    next_at: s.text.nullable().about('The next start; null while paused, and when the expression has no further time.'),
  }),
  'A schedule in the list of all schedules.',
);
export type ScheduleRow = s.Infer<typeof ScheduleRow>;

export const BackfillSlot = s.named(
  'BackfillSlot',
  s.object({
    scheduled_for: s.text,
    execution_id: s.text.nullable().about('Null for a planned one.'),
    outcome: s
      .words('exists', 'planned', 'started')
      .about('`planned`: a dry run found no run of this time; `exists`: this time has a run, so none was started.'),
  }),
  'A fire time of a backfill.',
);
export type BackfillSlot = s.Infer<typeof BackfillSlot>;

export const BackfillView = s.named(
  'BackfillView',
  s.object({
    dry_run: s.boolean,
    data: s.array(BackfillSlot).about('Oldest first.'),
    next_from: s.text.nullable().about('`from` of the call that continues; null when the range is done.'),
    stopped: s
      .object({ code: ErrorCodes, message: s.text })
      .nullable()
      .about('Why the times from `next_from` on were not started; null for a full call.'),
  }),
  'The result of a backfill, or of its dry run.',
);
export type BackfillView = s.Infer<typeof BackfillView>;
