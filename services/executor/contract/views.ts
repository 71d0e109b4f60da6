import type { Json, JsonObject } from '../../../lib/json';
import type { WorkflowEnv } from '../../workflows/contract';

export type ExecutionStatus = 'running' | 'completed' | 'failed' | 'cancelled';
export type StepStatus =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'retrying'
  | 'completed'
  | 'failed'
  | 'skipped'
  | 'cancelled';

/** Why a run or a step failed; `step_id` is null when no step is to blame. */
export interface RunError {
  code: string;
  message: string;
  step_id: string | null;
}

/** One thing that a run waits for. Times are RFC 3339. */
export interface WaitingView {
  step_id: string | null;
  kind: 'approval' | 'signal' | 'timer' | 'retry' | 'child' | 'slot' | 'capacity';
  name: string | null;
  since: string;
  until: string | null;
}

/** A row of the list. */
export interface ExecutionRow {
  id: string;
  workflow_def_id: string;
  status: ExecutionStatus;
  trigger_type: string;
  started_at: string;
  ended_at: string | null;
  duration_ms: number | null;
}

/** `next_cursor`: for the page that follows; null after the last, and for lists in an order of their own. */
export interface ExecutionPage {
  data: ExecutionRow[];
  limit: number;
  offset: number;
  next_cursor: string | null;
}

export interface ExecutionView extends ExecutionRow {
  tenant_id: string;
  trigger: Json;
  input: Json;
  output: Json;
  error: RunError | null;
  waiting: WaitingView[];
  retry_of: string | null;
  parent: string | null;
  tokens: number;
  cost_usd: number;
}

/** One step as recorded; secrets are masked in `input`, `output` and `error`. */
export interface StepView {
  step_id: string;
  path: string;
  iteration: number | null;
  type: string;
  status: StepStatus;
  attempt: number;
  config: Json;
  input: Json;
  output: Json;
  error: RunError | null;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
  feedback: { rating: string; comment: string | null } | null;
  /** Only with `include=attempts`: the attempts that failed before. */
  attempts?: { attempt: number; error: RunError; started_at: string | null; ended_at: string }[];
  /** Only with `include=parts`: what the step is made of, as far as it has come. */
  parts?: StepPart[];
  /** Only with `include=logs`, and only of tests of steps: what the step wrote into the log. */
  logs?: LogLine[];
}

/** A stretch of time of a step. `run`: it was at work; `wait`: it waited; `pause`: it was to be tried again. */
export interface TimelineSpan {
  step_id: string;
  /** Its id, and in loops their numbers (`ask.17`). */
  address: string;
  path: string;
  iteration: number | null;
  type: string;
  kind: 'run' | 'wait' | 'pause';
  attempt: number;
  started_at: string;
  /** Null while it goes on. */
  ended_at: string | null;
  duration_ms: number | null;
  /** How it ended; `interrupted`: its host died, and it began anew. */
  outcome: 'completed' | 'failed' | 'cancelled' | 'waits' | 'resumed' | 'interrupted' | null;
}

/** A part of a step; without `value` it has begun. */
export interface StepPart {
  key: string;
  at: string;
  value?: Json;
}

/** A line that a step wrote into the log. */
export interface LogLine {
  at: string;
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  data?: Json;
}

/** One event of the stream: `position` rises by one a record. */
export interface RunEvent {
  position: number;
  event: 'status' | 'step' | 'end';
  data: JsonObject;
}

export interface ApprovalRow {
  execution_id: string;
  workflow_id: string;
  workflow_name: string;
  step_id: string;
  /** What the step is called in links and signals: its id, and in loops their numbers (`ask.17`). */
  address: string;
  message: string;
  form: Json;
  since: string;
  until: string | null;
  approve_url: string;
  reject_url: string;
}

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
  secrets: string[];
  trigger_type: string;
  /** The `trigger` root of expressions. */
  trigger: JsonObject;
  /** Shown as `input` of the execution. */
  input: Json;
  /** Chosen by the caller: a second start with it finds the first. */
  execution_id: string;
  retry_of?: string;
  /** Step outputs of an earlier run, by path, that are taken over instead of running the steps. */
  preload_from?: { execution_id: string; from_step?: string };
  request_id?: string;
  /** Milliseconds to wait for the end; absent: answers once the run is durable. */
  wait_ms?: number;
  /** The id was made for this start alone, so that nobody asks for it before this start is answered. */
  fresh?: boolean;
  /** The step of another run that starts this one; `awaited`: it waits for the end. */
  parent?: { execution_id: string; path: string; awaited: boolean };
  /** Runs of the workflow with the same word go one after the other, where its document says nothing of that. */
  queue?: string;
  depth?: number;
}

/** `replayed`: the id was known already. `response`: only when waited for, and a step made one. */
export interface StartResult {
  execution: ExecutionView;
  replayed: boolean;
  response: WebhookResponse | null;
}

/** A run that a person started; `replayed` is there when an earlier start with the same idempotency key had made it. */
export type StartedView = ExecutionView & { replayed?: true };

/** What a public caller sees of a run that he started. */
export interface PublicExecutionView {
  id: string;
  status: ExecutionStatus;
  started_at: string;
  ended_at: string | null;
  duration_ms: number | null;
  output: Json;
  error: { message: string } | null;
}

/** A process that hosts executions. Times are RFC 3339. */
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
  /** The longest time that a run was due before this host took it, since it last said so. */
  lag_ms: number;
}

/** What became of a tenant's runs that began on a day, in UTC. */
export interface DayFigures {
  /** Such as `2026-11-21`. */
  date: string;
  total: number;
  running: number;
  completed: number;
  failed: number;
  cancelled: number;
  /** Of runs that have ended: steps that they ran, each turn and item of a loop counted. */
  steps: number;
  /** Of runs that have ended. */
  tokens: number;
  cost_usd: number;
}
