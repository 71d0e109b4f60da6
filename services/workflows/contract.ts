import type { Plan } from '../../dsl/plan';
import type { ChatActions } from './chat/contract';
import type { ErrorCode, ErrorDetail } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import type { Effect, JsonSchema } from '../../nodes/contract';
import type { CustomKind, CustomNode } from '../../nodes/custom';
import type { TriggerView } from '../scheduler/contract';
import type { VersionActions } from './versions/contract';
import type { ExecutionStatus, LogLine, RunError, StartedView, StepStatus, WaitingView } from '../executor/contract';

export type { ChatDeployment, ChatDeploymentView, ChatInput, ChatPace } from './chat/contract';

export const WORKFLOW_ENVS = ['dev', 'staging', 'production'] as const;
export type WorkflowEnv = (typeof WORKFLOW_ENVS)[number];
export type WorkflowStatus = 'active' | 'pending_approval';

/** A workflow as its tenant sees it. `webhook_api_key` is masked but for its last four characters. */
export interface WorkflowView {
  id: string;
  tenant_id: string;
  name: string;
  description: string;
  env: WorkflowEnv;
  dsl: JsonObject;
  dsl_hash: string;
  status: WorkflowStatus;
  enabled: boolean;
  version: number;
  webhook_api_key: string | null;
  webhook_api_key_set: boolean;
  created_by: string;
  created_at: string;
  updated_at: string;
  /** Things that are not wrong but may surprise, such as a secret that does not exist yet. */
  warnings?: ErrorDetail[];
}

export type WorkflowRow = Pick<
  WorkflowView,
  'id' | 'name' | 'description' | 'status' | 'enabled' | 'env' | 'version' | 'created_at' | 'updated_at'
>;

/** What a start needs to know of a workflow. Never leaves the services. */
export interface Startable {
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
  concurrent_limit: number | null;
}

export interface WorkflowKeyView {
  id: string;
  name: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
}

export interface WorkflowHealth {
  workflow_id: string;
  name: string;
  status: WorkflowStatus;
  enabled: boolean;
  window_hours: number;
  total: number;
  completed: number;
  failed: number;
  cancelled: number;
  running: number;
  waiting: number;
  success_rate: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
  last_execution_at: string | null;
  last_error: string | null;
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

/** A custom node as its tenant sees it. */
export interface CustomNodeView extends CustomNode {
  id: string;
  tenant_id: string;
  created_by: string;
  created_at: string;
  updated_at: string;
}

/** A named constant of expressions: `{{ vars.<name> }}`. */
export interface VariableView {
  name: string;
  value: Json;
  updated_at: string;
}

/** A node type as a canvas or a client needs it. */
export interface NodeTypeRow {
  type: string;
  version: number;
  title: string;
  description: string;
  category: string;
  /** `control`: holds other steps; `work`: does something itself; custom nodes: what they are declared as. */
  kind: 'control' | 'work' | CustomKind;
  aliases: readonly string[];
  /** What it does to the world at most. */
  effect: Effect;
  /** JSON Schema of `config`. */
  input: JsonSchema;
  output: JsonSchema;
  /** JSON Schema of a control step's own keys; null for others. */
  step: JsonSchema | null;
  /** How an agent calls it; null when it cannot. */
  tool: { name: string; description: string; parameters: JsonSchema } | null;
  custom: boolean;
  icon: string | null;
  color: string | null;
}

/** What a cause has started, and which workflows cannot be started now, for a reason that trying again does not mend. */
export interface Reactions {
  started: { workflow_id: string; execution_id: string }[];
  refused: { workflow_id: string; code: ErrorCode; message: string }[];
}

/** What a step did when it was tried on its own. */
export interface StepTestView {
  /** The run that the test was; its detail has more. */
  execution_id: string;
  status: StepStatus;
  input: Json;
  output: Json;
  error: RunError | null;
  duration_ms: number | null;
  /** In the order of time; `path`: the step that wrote it, as a step may hold others. */
  logs: (LogLine & { path: string })[];
  /** Whom the step waits for, when it waits for somebody; then the run has been cancelled. */
  waiting: WaitingView[];
}

/** The file that export writes and import takes. */
export interface WorkflowFile {
  format: 'everstep.workflow';
  format_version: 1;
  exported_at: string;
  workflow: { name: string; description: string; env: WorkflowEnv; dsl: JsonObject };
}

export interface WorkflowInput {
  name: string;
  description?: string;
  env?: WorkflowEnv;
  dsl: JsonObject;
  webhook_api_key?: string | null;
}

export interface WorkflowsActions extends ChatActions, VersionActions {
  'workflows.list': (p: { limit?: number; offset?: number }) => { data: WorkflowRow[]; limit: number; offset: number };
  'workflows.create': (p: WorkflowInput) => WorkflowView;
  'workflows.get': (p: { id: string }) => WorkflowView;
  'workflows.update': (p: { id: string } & Partial<WorkflowInput>) => WorkflowView;
  'workflows.remove': (p: { id: string }) => void;
  'workflows.enable': (p: { id: string }) => WorkflowView;
  'workflows.disable': (p: { id: string }) => WorkflowView;
  'workflows.approve': (p: { id: string }) => WorkflowView;
  'workflows.validate': (p: { dsl: unknown }) => { valid: boolean; errors: ErrorDetail[]; warnings: ErrorDetail[] };
  'workflows.export': (p: { id: string }) => { filename: string; file: WorkflowFile };
  'workflows.import': (p: JsonObject) => WorkflowView;
  'workflows.health': (p: { id: string }) => WorkflowHealth;
  'workflows.health_all': (p: Record<string, never>) => { data: WorkflowHealth[] };
  /** Null without a trigger that comes by the clock; of several, the first, and all of them in `schedules`. */
  'workflows.schedule': (p: { id: string }) => { schedule: TriggerView | null; schedules?: TriggerView[] };
  'workflows.trigger': (p: { id: string; trigger: JsonObject; idempotency_key?: string }) => StartedView;
  /** Starts every workflow of the tenant that has a `signal` trigger of that name. */
  'workflows.signal': (p: { signal: string; data?: JsonObject; idempotency_key?: string }) => {
    accepted: true;
    signal: string;
  } & Reactions;
  /** Runs one step on its own, with what it would see. */
  'workflows.test_step': (p: {
    id: string;
    step_id: string;
    trigger?: JsonObject;
    /** Outputs of other steps, by id. */
    steps?: JsonObject;
    loop?: JsonObject;
    error?: JsonObject;
    /** Whether pinned outputs of other steps stand in; true when absent. */
    pin?: boolean;
  }) => StepTestView;
  /** Fixes a step's output for runs that are started by hand: the one given, or the one that it had in a run. */
  'workflows.pin': (p: {
    id: string;
    step_id: string;
    output?: JsonObject;
    execution_id?: string;
    /** Which of several, of a step in a loop; absent: the last that completed. */
    path?: string;
  }) => WorkflowView;
  'workflows.unpin': (p: { id: string; step_id: string }) => WorkflowView;
  'workflows.custom_nodes': (p: { limit?: number; offset?: number }) => {
    data: CustomNodeView[];
    limit: number;
    offset: number;
  };
  'workflows.create_custom_node': (p: { definition: JsonObject }) => CustomNodeView;
  /** `type` may be the id as well, here and below. */
  'workflows.get_custom_node': (p: { type: string }) => CustomNodeView;
  'workflows.update_custom_node': (p: { type: string; definition: JsonObject }) => CustomNodeView;
  'workflows.remove_custom_node': (p: { type: string; force?: boolean }) => void;
  /** Runs a custom node on its own, with this config. */
  'workflows.test_custom_node': (p: {
    type: string;
    config?: JsonObject;
    steps?: JsonObject;
    trigger?: JsonObject;
  }) => StepTestView;
  /** Does an action of a connector for real, on its own. */
  'workflows.test_action': (p: {
    name: string;
    action: string;
    connection?: string;
    input?: JsonObject;
  }) => StepTestView;
  'workflows.node_types': (p: { category?: string; kind?: string }) => { data: NodeTypeRow[] };
  /** Internal: the definition of a custom type of the tenant; null when there is none. */
  'workflows.custom_node': (p: { type: string }) => CustomNode | null;
  'workflows.variables': (p: Record<string, never>) => { data: VariableView[] };
  /** Creates or replaces; `created` tells which. */
  'workflows.put_variable': (p: { name: string; value: Json }) => VariableView & { created: boolean };
  'workflows.remove_variable': (p: { name: string }) => void;
  /** Internal: the values of all the tenant's variables, by name. */
  'workflows.variable_values': (p: Record<string, never>) => JsonObject;
  'workflows.create_key': (p: { id: string; name?: string }) => WorkflowKeyView & { key: string; note: string };
  'workflows.list_keys': (p: { id: string }) => { data: WorkflowKeyView[] };
  'workflows.revoke_key': (p: { id: string; key_id: string }) => void;
  'workflows.set_webhook_key': (p: { id: string; key?: string }) => { webhook_api_key: string; note: string };
  'workflows.clear_webhook_key': (p: { id: string }) => void;
  /** Internal: what a webhook or a run call needs; null when there is no such workflow. */
  'workflows.startable': (p: { id: string }) => Startable | null;
  /** Internal: the same by id or name, among those of the tenant alone. @throws conflict when several have the name */
  'workflows.startable_for': (p: { workflow: string }) => Startable | null;
  /** Internal: starts each workflow of the tenant that begins by this, once. `depth`: how many runs stand above theirs. */
  'workflows.react': (p: { cause: RunCause; depth: number }) => Reactions;
  /** Internal: what starts workflows of the tenant from inside of the service (see mixins/topics). */
  'workflows.topics': (p: Record<string, never>) => { topics: string[] };
  /** Internal: how many workflows are active, and the newest of those beyond the number to keep, some at a time. */
  'workflows.beyond': (p: { keep: number }) => { active: number; data: { id: string; name: string }[] };
  /** Internal: disables a workflow that is beyond the plan. */
  'workflows.suspend': (p: { id: string }) => void;
  /** Internal: the immutable plan of a hash. */
  'workflows.plan': (p: { hash: string }) => Plan;
  /** Internal: whether the text is a live key of the workflow. */
  'workflows.check_key': (p: { id: string; key: string }) => { valid: boolean };
}
