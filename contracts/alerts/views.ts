import * as s from '../../lib/schema';

/** What notices are about. Ends of runs decide the first three; the others are checked every quarter of a minute. */
export const CONDITION_KINDS = [
  'failures_in_row',
  'failure_rate',
  'p95_duration',
  'missed_schedule',
  'long_run',
  'budget',
] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

const duration = s.text.about('Such as `90s`, `15m` or `1h30m`.');

export const AlertCondition = s.named(
  'AlertCondition',
  s.union(
    s.object({ kind: s.constant('failures_in_row'), failures: s.number.about('Failed runs one after the other.') }),
    s.object({
      kind: s.constant('failure_rate'),
      percent: s.number.about('Share of failed runs among those that completed or failed.'),
      window: duration,
      min_runs: s.number.about('With fewer runs in the window, the condition does not hold.'),
    }),
    s.object({
      kind: s.constant('p95_duration'),
      longer_than: duration.about('95 of 100 runs take this long at most, or the condition holds; exact to 5 %.'),
      window: duration,
      min_runs: s.number,
    }),
    s.object({
      kind: s.constant('missed_schedule'),
      grace: duration.about('A fire time whose run has not started so long after it is missed.'),
    }),
    s.object({
      kind: s.constant('long_run'),
      state: s.words('running', 'waiting').about('`waiting`: one of its steps has waited for so long.'),
      longer_than: duration,
    }),
    s.object({
      kind: s.constant('budget'),
      of: s.words('cost_usd', 'tokens', 'executions'),
      per: s.words('day', 'month').about('Of UTC.'),
      above: s.number.optional(),
      percent_of_plan: s.number.optional().about('Of `executions` of a month, instead of `above`.'),
    }),
  ),
  'When a rule holds: of a workflow, and with `budget` of the tenant.',
);
export type AlertCondition = s.Infer<typeof AlertCondition>;

export const AlertScope = s.named(
  'AlertScope',
  s.union(
    s.object({ kind: s.constant('tenant') }),
    s.object({ kind: s.constant('workflows'), workflow_ids: s.array(s.text) }),
  ),
  'The workflows that a rule watches: all of the tenant, or those named.',
);
export type AlertScope = s.Infer<typeof AlertScope>;

export const AlertChannel = s.named(
  'AlertChannel',
  s.union(
    s.object({
      id: s.text,
      kind: s.constant('mail'),
      to: s.array(s.text).about('Addresses of members, `owners` or `admins`.'),
    }),
    s.object({
      id: s.text,
      kind: s.constant('webhook'),
      url: s.text.about('Its query and long segments of its path are shown as `***`.'),
      secret: s.text.nullable().about('Signs requests. Shown once, in the answer that made it; null otherwise.'),
    }),
    s.object({
      id: s.text,
      kind: s.constant('connector'),
      action: s.text.about('The type of a step, such as `chat.post_message`.'),
      connection: s.text.nullable().about('Id or name; null: the only one of this connector.'),
      input: s.jsonObject,
      text_field: s.text.about('The field of the input that gets the text.'),
    }),
  ),
  'Where notices go.',
);
export type AlertChannel = s.Infer<typeof AlertChannel>;

export const AlertIncident = s.named(
  'AlertIncident',
  s.object({
    workflow_id: s.text.nullable().about('Null for a budget, which is of the tenant.'),
    workflow_name: s.text.nullable(),
    since: s.text,
    count: s.number.about('Number of failures in it.'),
    execution_ids: s.array(s.text).about('The last ones, five at most.'),
    detail: s.text,
  }),
  'What holds at present.',
);
export type AlertIncident = s.Infer<typeof AlertIncident>;

export const AlertView = s.named(
  'AlertView',
  s.object({
    id: s.text,
    name: s.text,
    enabled: s.boolean,
    scope: AlertScope,
    condition: AlertCondition,
    channels: s.array(AlertChannel),
    quiet_period: s.text.about('No two notices of an incident are closer together, save that of its end.'),
    muted_until: s.text.nullable(),
    state: s.words('ok', 'firing', 'disabled'),
    firing_since: s.text.nullable().about('Of the oldest incident.'),
    incidents: s.array(AlertIncident).about('Oldest first, fifty at most.'),
    created_by: s.text.nullable().about('E-mail address; null for a service.'),
    created_at: s.text,
    updated_at: s.text,
  }),
  'A rule for notices, and what holds of it at present. Times are RFC 3339.',
);
export type AlertView = s.Infer<typeof AlertView>;

export const NOTICE_KINDS = ['opened', 'reminder', 'recovered', 'test'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export const NotificationView = s.named(
  'NotificationView',
  s.object({
    id: s.text.about('The same in each repetition: `webhook-id` of requests, in `Message-ID` of mails.'),
    alert_id: s.text,
    kind: s.words(...NOTICE_KINDS),
    workflow_id: s.text.nullable(),
    workflow_name: s.text.nullable(),
    subject: s.text,
    text: s.text,
    channel: s.object({
      kind: s.words('mail', 'webhook', 'connector'),
      target: s.text.about('An address, the host of a URL, or a step type.'),
    }),
    status: s.words('pending', 'sent', 'failed', 'withheld').about('`withheld`: too many mails, or the rule is gone.'),
    attempts: s.number,
    error: s.text.nullable().about('Of the last attempt.'),
    created_at: s.text,
    sent_at: s.text.nullable(),
  }),
  'A notice of one channel. Times are RFC 3339.',
);
export type NotificationView = s.Infer<typeof NotificationView>;

/** An ended run, as rules see it. Times are epoch milliseconds. */
export interface EndedRun {
  id: string;
  workflow_id: string;
  workflow_name: string;
  status: 'completed' | 'failed';
  ended_at: number;
  duration_ms: number;
}

/** Which ended runs of a tenant the rules need. */
export interface WatchedEnds {
  all: boolean;
  workflow_ids: string[];
}
