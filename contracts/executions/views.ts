import type { WorkflowEnv } from '../workflows/views';
import type { Json, JsonObject } from '../../lib/json';
import * as s from '../../lib/schema';
import { LoopView } from './loop-view';
import { PAUSED_BY, WAITS } from './pause-view';

/** What a `webhook_response` step asked for. */
export interface WebhookResponse {
  status: number;
  /** A list sends the header several times. */
  headers: Record<string, string | string[]>;
  body: Json;
}

export interface StartParams {
  workflow_id: string;
  workflow_name: string;
  env: WorkflowEnv;
  plan_hash: string;
  trigger_type: string;
  /** The `trigger` root of expressions. */
  trigger: JsonObject;
  /** The members of `trigger.body` are members of the trigger, too, except where it has one of that name. */
  spread_body?: boolean;
  /** Chosen by the caller: a second start with it finds the first. */
  execution_id: string;
  /** What has to equal the first start's in a second one; absent: nothing. */
  same?: SameStart;
  /** Whether the result has the run's record. */
  record?: boolean;
  retry_of?: string;
  /** Step outputs of an earlier run, by path, that are taken over instead of running the steps; `only_unchanged`: of steps that are the same in both plans. */
  preload_from?: { execution_id: string; from_step?: string; only_unchanged?: boolean };
  request_id?: string;
  /** Milliseconds to wait for the end; absent: answers once the run is durable. */
  wait_ms?: number;
  /** The id was made for this start alone, so no other caller knows it before this start is answered. */
  fresh?: boolean;
  /** The step of another run that starts this one; `awaited`: it waits for the end. */
  parent?: { execution_id: string; path: string; awaited: boolean };
  /** Runs of the workflow with the same word go one after the other, where its document says nothing of that. */
  queue?: string;
  /** Labels of the run that this one retries; those of its document win. */
  labels?: Record<string, string>;
  depth?: number;
}

/** Parts of a trigger: all of it, the body with its files, or these and the query. */
export const SAME_STARTS = ['trigger', 'body', 'request'] as const;
export type SameStart = (typeof SAME_STARTS)[number];

/** A run that has been started, or waited for. */
export interface StartResult {
  id: string;
  status: ExecutionStatus;
  output: Json;
  error: RunError | null;
  /** Of a `webhook_response` step. */
  response: WebhookResponse | null;
  /** The id was known already. */
  replayed: boolean;
  /** Only for a caller that wants the record. */
  record?: ExecutionView;
}

/** One of them, for the operator. */
export interface WorkerRow {
  id: string;
  node_id: string;
  version: string;
  started_at: string;
  lease_until: string;
  state: 'alive' | 'draining' | 'dead' | 'left';
  /** Runs in memory with something to do, and those that only wait for a moment. */
  running: number;
  waiting: number;
  capacity: number;
  /** The longest time that a run was due before this host took it, since its last report. */
  lag_ms: number;
}

/**
 * A piece of a text that a step is making. `take` changes when the text begins anew; `at` counts the characters of the
 * take that went before.
 */
export interface OutputEvent {
  id: string;
  step_id: string;
  take: string;
  at: number;
  text: string;
}

export const ExecutionStatus = s.named('ExecutionStatus', s.words('cancelled', 'completed', 'failed', 'running'));
export type ExecutionStatus = s.Infer<typeof ExecutionStatus>;

export const StepStatus = s.named(
  'StepStatus',
  s.words('cancelled', 'completed', 'failed', 'pending', 'retrying', 'running', 'skipped', 'waiting'),
);
export type StepStatus = s.Infer<typeof StepStatus>;

export const RunError = s.named(
  'RunError',
  s.object({
    code: s.text,
    message: s.text,
    step_id: s.text.nullable(),
  }),
  'Why a run or a step failed; `step_id` is null when no step is to blame.',
);
export type RunError = s.Infer<typeof RunError>;
export const WaitingView = s.named(
  'WaitingView',
  s.object({
    step_id: s.text.nullable(),
    kind: s.words('paused', ...WAITS),
    name: s.text.nullable(),
    since: s.text,
    until: s.text.nullable(),
    message: s.text
      .optional()
      .about('The question of an approval, or the title of a form, up to 2,000 characters; not in lists.'),
    form_url: s.text
      .nullable()
      .optional()
      .about('Of a form: the link that opens it, for one answer; null for viewers. Not in lists.'),
    ...PAUSED_BY,
  }),
  'One thing that a run waits for. Times are RFC 3339.',
);
export type WaitingView = s.Infer<typeof WaitingView>;
const RunWarning = s.named(
  'RunWarning',
  s.object({
    path: s.text.about('Such as `labels.order`.'),
    message: s.text,
  }),
  'Something in the document that did not work as written; the run has started nevertheless.',
);

export const ExecutionRow = s.named(
  'ExecutionRow',
  s.object({
    id: s.text,
    workflow_def_id: s.text,
    status: ExecutionStatus,
    trigger_type: s.text,
    started_at: s.text,
    ended_at: s.text.nullable(),
    duration_ms: s.number.nullable().about('From its start to its end; null while it runs.'),
    workflow_name: s.text.about('As it was when the run started.'),
    error: RunError.nullable().about('Why it failed; in lists the first 500 characters of the message.'),
    waiting: s.array(WaitingView).about('What it waits for; in lists the first five waits.'),
    tokens: s.number.about('Tokens of language models; 0 until the run ends.'),
    cost_usd: s.number.about('What these tokens cost; 0 until the run ends.'),
    retry_of: s.text.nullable().about('The run that this one repeats.'),
    parent: s.text.nullable().about('The run whose step started this one.'),
    labels: s.record(s.text).about('What its workflow calls it by, for searches.'),
    trial: s.boolean.about('A test of a step, or a run of a document that was not saved.'),
  }),
  'A row of the list.',
);
export type ExecutionRow = s.Infer<typeof ExecutionRow>;

export const ExecutionPage = s.named(
  'ExecutionPage',
  s.listed(ExecutionRow).extend({ next_cursor: s.text.nullable() }),
  '`next_cursor`: for the page that follows; null after the last, and for lists in an order of their own.',
);
export type ExecutionPage = s.Infer<typeof ExecutionPage>;

export const ExecutionView = s.named(
  'ExecutionView',
  ExecutionRow.extend({
    tenant_id: s.text,
    trigger: s.json,
    warnings: s.array(RunWarning).about('What in the document did not work as written when it started.'),
    input: s.json,
    output: s.json,
    cut: s
      .array(s.words('trigger', 'input', 'output'))
      .optional()
      .about('Only with `max_value_chars`: the values of which only the beginning is here.'),
  }),
);
export type ExecutionView = s.Infer<typeof ExecutionView>;

export const StepPart = s.named(
  'StepPart',
  s.object({
    key: s.text,
    at: s.text,
    value: s.json.optional(),
  }),
  'A part of a step; without `value` it has begun.',
);
export type StepPart = s.Infer<typeof StepPart>;

export const LogLine = s.named(
  'LogLine',
  s.object({
    at: s.text,
    level: s.words('debug', 'error', 'info', 'warn'),
    message: s.text,
    data: s.json.optional(),
  }),
  'A line that a step wrote into the log.',
);
export type LogLine = s.Infer<typeof LogLine>;

export const RunLogLine = s.named(
  'RunLogLine',
  LogLine.extend({
    position: s.number.about('Counts the lines of the run from 1.'),
    step_id: s.text,
    path: s.text,
    iteration: s.number.nullable(),
    attempt: s.number,
  }),
  'A log line of an attempt of a step.',
);
export type RunLogLine = s.Infer<typeof RunLogLine>;

export const StepView = s.named(
  'StepView',
  s.object({
    step_id: s.text,
    path: s.text,
    iteration: s.number.nullable(),
    type: s.text,
    status: StepStatus,
    attempt: s.number,
    config: s.json,
    input: s.json,
    output: s.json,
    error: RunError.nullable(),
    started_at: s.text.nullable(),
    ended_at: s.text.nullable(),
    duration_ms: s.number.nullable(),
    input_tokens: s.number.nullable(),
    output_tokens: s.number.nullable(),
    cost_usd: s.number.nullable(),
    feedback: s
      .object({
        rating: s.text,
        comment: s.text.nullable(),
      })
      .nullable(),
    attempts: s
      .array(
        s.object({
          attempt: s.number,
          error: RunError,
          started_at: s.text.nullable(),
          ended_at: s.text,
        }),
      )
      .optional()
      .about('Only with `include=attempts`: the attempts that failed before.'),
    parts: s
      .array(StepPart)
      .optional()
      .about('Only with `include=parts`: what the step is made of, as far as it has come.'),
    logs: s
      .array(LogLine)
      .optional()
      .about('Only with `include=logs`, and only of tests of steps: what the step wrote into the log.'),
    loop: LoopView.optional().about('Only of a `foreach` or `while` that has begun.'),
    cut: s
      .array(s.words('config', 'input', 'output'))
      .optional()
      .about('Only with `max_value_chars`: the values of which only the beginning is here.'),
  }),
  'One step as recorded; secrets are masked in `input`, `output` and `error`.',
);
export type StepView = s.Infer<typeof StepView>;

export const TimelineSpan = s.named(
  'TimelineSpan',
  s.object({
    step_id: s.text,
    address: s.text.about('Its id, and in loops their numbers (`ask.17`).'),
    path: s.text,
    iteration: s.number.nullable(),
    type: s.text,
    kind: s.words('pause', 'run', 'wait'),
    attempt: s.number,
    started_at: s.text,
    ended_at: s.text.nullable().about('Null while it goes on.'),
    duration_ms: s.number.nullable(),
    outcome: s
      .words('cancelled', 'completed', 'failed', 'interrupted', 'resumed', 'waits')
      .nullable()
      .about('How it ended; `interrupted`: its host died, and it began anew.'),
    loop: LoopView.optional().about('Only of a `foreach` or `while`.'),
  }),
  'A stretch of time of a step. `run`: it was at work; `wait`: it waited; `pause`: it was to be tried again.',
);
export type TimelineSpan = s.Infer<typeof TimelineSpan>;

export const RunEvent = s.named(
  'RunEvent',
  s.object({
    position: s.number,
    event: s.words('end', 'status', 'step'),
    data: s.jsonObject,
  }),
  'One event of the stream: `position` rises by one a record.',
);
export type RunEvent = s.Infer<typeof RunEvent>;

export const StartedView = s.named(
  'StartedView',
  ExecutionView.extend({
    replayed: s.constant(true).optional(),
  }),
  'A run that a person started; `replayed` is there when an earlier start with the same idempotency key had made it.',
);
export type StartedView = s.Infer<typeof StartedView>;

export const PublicExecutionView = s.named(
  'PublicExecutionView',
  s.object({
    id: s.text,
    status: ExecutionStatus,
    started_at: s.text,
    ended_at: s.text.nullable(),
    duration_ms: s.number.nullable(),
    output: s.json,
    error: s
      .object({
        code: s.words('execution_failed', 'timed_out'),
        message: s.text,
        request_id: s.text.nullable(),
      })
      .nullable()
      .about('A generic message; `request_id` is that of the request that started the run.'),
  }),
  'The public view of a run.',
);
export type PublicExecutionView = s.Infer<typeof PublicExecutionView>;

export const WorkerPool = s.named(
  'WorkerPool',
  s.object({
    id: s.constant('executors'),
    state: s
      .words('full', 'healthy', 'unavailable')
      .about(
        '`full`: new runs wait until others leave; `unavailable`: no process hosts executions, and runs wait until one does.',
      ),
    capacity_used: s.number.about('From 0 to 1, in hundredths.'),
  }),
  'The processes that host executions, as one: what a tenant may know of them.',
);
export type WorkerPool = s.Infer<typeof WorkerPool>;

export const DayFigures = s.named(
  'DayFigures',
  s.object({
    date: s.text.about('Such as `2026-11-21`.'),
    total: s.number,
    running: s.number,
    completed: s.number,
    failed: s.number,
    cancelled: s.number,
    steps: s.number.about('Of runs that have ended: steps that they ran, each turn and item of a loop counted.'),
    tokens: s.number.about('Of runs that have ended.'),
    cost_usd: s.number,
  }),
  "Numbers of a tenant's runs that began on a day, in UTC.",
);
export type DayFigures = s.Infer<typeof DayFigures>;

export const HourFigures = s.named(
  'HourFigures',
  s.object({
    at: s.text.about('The beginning of the hour.'),
    total: s.number,
    running: s.number,
    completed: s.number,
    failed: s.number,
    cancelled: s.number,
  }),
  "Numbers of a tenant's runs that began in an hour, by their status now.",
);
export type HourFigures = s.Infer<typeof HourFigures>;
