import { ExecutionStatus, RunError, StepStatus, WaitingView } from '../executions/views';
import { ErrorDetail } from '../shared';
import type { ErrorCode } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import * as s from '../../lib/schema';

export const WORKFLOW_ENVS = ['dev', 'staging', 'production'] as const;

export type WorkflowEnv = (typeof WORKFLOW_ENVS)[number];

/** What a start needs to know of a workflow. Never leaves the services. */
export interface StartSnapshot {
  id: string;
  tenant_id: string;
  name: string;
  env: WorkflowEnv;
  status: WorkflowStatus;
  enabled: boolean;
  triggers: string[];
  plan_hash: string;
  secrets: string[];
  /** SHA-256 of the key that guards the webhook; null when none does. */
  webhook_key_hash: string | null;
  /** The webhook hands on the body as it came, too. */
  raw_body: boolean;
  /** The webhook takes only requests that are signed. */
  signed: boolean;
  /** The webhook recognises repeated requests by a value of the body. */
  dedupes: boolean;
}

/** Something inside of the service that may start workflows. It happens once: its own id, or the run's, says which it is. */
export type RunCause =
  | {
      kind: 'signal';
      id: string;
      signal: string;
      data: JsonObject;
      /** The run whose step has sent it; null when a person or program has. */
      execution_id: string | null;
    }
  | {
      kind: 'ended';
      execution_id: string;
      workflow_id: string;
      workflow_name: string;
      status: Exclude<ExecutionStatus, 'running'>;
      output: Json;
      error: RunError | null;
      /** What had started the run. */
      trigger_type: string;
    }
  /** The billing provider tells something of the tenant; `data` is all of it. */
  | { kind: 'billing'; id: string; event: string; data: JsonObject };

/** What a cause has started, and which workflows cannot be started now, for a reason that trying again does not mend. */
export interface Reactions {
  started: { workflow_id: string; execution_id: string }[];
  refused: { workflow_id: string; code: ErrorCode; message: string }[];
}

export const WorkflowStatus = s.named('WorkflowStatus', s.words('active', 'pending_approval'));
export type WorkflowStatus = s.Infer<typeof WorkflowStatus>;

export const WorkflowView = s.named(
  'WorkflowView',
  s.object({
    id: s.text,
    tenant_id: s.text,
    name: s.text,
    description: s.text,
    tags: s.array(s.text),
    folder: s.text.about('Names with slashes between them; empty: in no folder.'),
    env: s.words(...WORKFLOW_ENVS),
    dsl: s.jsonObject,
    dsl_hash: s.text,
    status: WorkflowStatus,
    enabled: s.boolean,
    version: s.number.about('Counts the changes of `dsl`; 0 until the first publication.'),
    webhook_api_key: s.text.nullable(),
    webhook_api_key_set: s.boolean,
    created_by: s.text,
    created_at: s.text,
    updated_at: s.text,
    warnings: s
      .array(ErrorDetail)
      .optional()
      .about('Possible mistakes that are no errors, such as a secret that does not exist yet.'),
  }),
  'A workflow as its tenant sees it. `webhook_api_key` is masked but for its last four characters.',
);
export type WorkflowView = s.Infer<typeof WorkflowView>;

export const RecentRun = s.named(
  'RecentRun',
  s.object({
    id: s.text,
    status: ExecutionStatus,
    trigger_type: s.text,
    started_at: s.text,
    duration_ms: s.number.nullable(),
  }),
);
export type RecentRun = s.Infer<typeof RecentRun>;

export const WorkflowRow = s.named(
  'WorkflowRow',
  s.object({
    id: s.text,
    name: s.text,
    description: s.text,
    env: s.words(...WORKFLOW_ENVS),
    status: WorkflowStatus,
    enabled: s.boolean,
    version: s.number,
    tags: s.array(s.text),
    folder: s.text,
    triggers: s.array(s.text).about('Types of its triggers.'),
    next_start: s.text.nullable().about('When a schedule or poller of it is due next; null without one.'),
    success_rate: s.number
      .nullable()
      .about('Completed of the completed and failed ones of its last ten runs; from 0 to 1.'),
    recent_runs: s.array(RecentRun).about('Its last ten runs, newest first.'),
    created_at: s.text,
    updated_at: s.text,
  }),
);
export type WorkflowRow = s.Infer<typeof WorkflowRow>;

export const WorkflowKeyView = s.named(
  'WorkflowKeyView',
  s.object({
    id: s.text,
    name: s.text,
    prefix: s.text,
    created_at: s.text,
    last_used_at: s.text.nullable(),
  }),
);
export type WorkflowKeyView = s.Infer<typeof WorkflowKeyView>;

export const WorkflowHealth = s.named(
  'WorkflowHealth',
  s.object({
    workflow_id: s.text,
    name: s.text,
    status: WorkflowStatus,
    enabled: s.boolean,
    window_hours: s.number,
    total: s.number,
    completed: s.number,
    failed: s.number,
    cancelled: s.number,
    running: s.number,
    waiting: s.number,
    success_rate: s.number.nullable(),
    p50_ms: s.number.nullable(),
    p95_ms: s.number.nullable(),
    last_execution_at: s.text.nullable(),
    last_error: s.text.nullable(),
  }),
);
export type WorkflowHealth = s.Infer<typeof WorkflowHealth>;

export const VariableView = s.named(
  'VariableView',
  s.object({
    name: s.text,
    value: s.json,
    updated_at: s.text,
  }),
  'A named constant of expressions: `{{ vars.<name> }}`.',
);
export type VariableView = s.Infer<typeof VariableView>;

export const StepTestView = s.named(
  'StepTestView',
  s.object({
    execution_id: s.text.about('The run that the test was; its detail has more.'),
    status: StepStatus,
    input: s.json,
    output: s.json,
    error: RunError.nullable(),
    duration_ms: s.number.nullable(),
    logs: s
      .array(
        s.object({
          at: s.text,
          level: s.words('debug', 'error', 'info', 'warn'),
          message: s.text,
          data: s.json.optional(),
          path: s.text,
        }),
      )
      .about('In the order of time; `path`: the step that wrote it, as a step may hold others.'),
    waiting: s.array(WaitingView).about('What the step waits for; the test run has then been cancelled.'),
  }),
  'The result of a step test.',
);
export type StepTestView = s.Infer<typeof StepTestView>;

export const WorkflowFile = s.named(
  'WorkflowFile',
  s.object({
    format: s.constant('everstep.workflow'),
    format_version: s.constant(1),
    exported_at: s.text,
    workflow: s.object({
      name: s.text,
      description: s.text,
      tags: s.array(s.text).optional(),
      folder: s.text.optional(),
      env: s.words(...WORKFLOW_ENVS),
      dsl: s.jsonObject,
    }),
  }),
  'The file that export writes and import takes.',
);
export type WorkflowFile = s.Infer<typeof WorkflowFile>;
