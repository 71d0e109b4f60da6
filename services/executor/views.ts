import type { Json } from '../../lib/json';
import { isTrial } from '../../lib/trial';
import { publicError } from '../../lib/public-error';
import type { Execution, Waiting } from '../../runtime/core/model';
import { questionOfForm } from './approvals';
import type { HostRow } from '../../runtime/ports/host-store';
import type {
  ExecutionRow,
  ExecutionView,
  PublicExecutionView,
  WaitingView,
  WorkerPool,
  WorkerRow,
} from '../../contracts/executions/views';

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

const MAX_ROW_ERROR_CHARS = 500;
const MAX_ROW_WAITS = 5;
/** Characters of each question in the view of a single run; `GET /approvals` has all of it. */
const MAX_QUESTION_CHARS = 2_000;

const waitingView = (waiting: Waiting): WaitingView => ({
  step_id: waiting.step_id,
  kind: waiting.kind,
  name: questionOfForm(waiting) ?? waiting.name,
  since: iso(waiting.since),
  until: isoOrNull(waiting.until),
});

/** The pause of a run, as the first of its waits. */
const pauseView = ({ status, pause }: Pick<Execution, 'status' | 'pause'>): WaitingView[] =>
  status !== 'running' || pause?.kind !== 'pause'
    ? []
    : [
        {
          step_id: null,
          kind: 'paused',
          name: null,
          since: iso(pause.at),
          until: null,
          by: pause.by,
          reason: pause.reason,
        },
      ];

/** The run's input as its author thinks of it: a request's body, or all that the trigger brought. */
export const inputOf = ({ trigger, inputKey }: Pick<Execution, 'trigger' | 'inputKey'>): Json =>
  inputKey === null ? trigger : Object.hasOwn(trigger, inputKey) ? (trigger[inputKey] as Json) : null;

/** The fields of a run that a row of a list needs. */
export type RowFields = Pick<
  Execution,
  | 'id'
  | 'workflowId'
  | 'workflowName'
  | 'status'
  | 'triggerType'
  | 'startedAt'
  | 'endedAt'
  | 'error'
  | 'waiting'
  | 'pause'
  | 'tokens'
  | 'costUsd'
  | 'retryOf'
  | 'labels'
> & { readonly parent: { readonly executionId: string } | null };

function executionRow(execution: RowFields): ExecutionRow {
  return {
    id: execution.id,
    workflow_def_id: execution.workflowId,
    workflow_name: execution.workflowName,
    status: execution.status,
    trigger_type: execution.triggerType,
    ...timesOf(execution),
    error: execution.error,
    waiting: [...pauseView(execution), ...execution.waiting.map(waitingView)],
    tokens: execution.tokens,
    cost_usd: execution.costUsd,
    retry_of: execution.retryOf,
    parent: execution.parent?.executionId ?? null,
    labels: execution.labels ?? {},
    trial: isTrial(execution.triggerType),
  };
}

const timesOf = ({ startedAt, endedAt }: Pick<Execution, 'startedAt' | 'endedAt'>) => ({
  started_at: iso(startedAt),
  ended_at: isoOrNull(endedAt),
  duration_ms: endedAt === null ? null : endedAt - startedAt,
});

/** A row of a list: without long texts and without all waits of a run with many. */
export function listRow(fields: RowFields): ExecutionRow {
  const { error } = fields;
  const row = executionRow({
    ...fields,
    error: error === null ? null : { ...error, message: cut(error.message, MAX_ROW_ERROR_CHARS) },
  });
  return { ...row, waiting: row.waiting.slice(0, MAX_ROW_WAITS) };
}

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

/** The view with the links of its forms. `linkOf`: by the address of the step; null for a caller who may not answer. */
export const withFormLinks = (view: ExecutionView, linkOf: (question: string) => string | null): ExecutionView => ({
  ...view,
  waiting: view.waiting.map((wait) =>
    wait.kind === 'form' && wait.name !== null ? { ...wait, form_url: linkOf(wait.name) } : wait,
  ),
});

export const executionView = (execution: Execution): ExecutionView => ({
  ...executionRow(execution),
  tenant_id: execution.tenantId,
  trigger: execution.trigger,
  warnings: execution.warnings?.map((warning) => ({ ...warning })) ?? [],
  waiting: [
    ...pauseView(execution),
    ...execution.waiting.map((waiting) => ({
      ...waitingView(waiting),
      ...(waiting.message === undefined ? {} : { message: cut(waiting.message, MAX_QUESTION_CHARS) }),
    })),
  ],
  input: inputOf(execution),
  output: execution.output,
});

/** The last figures of a dead host are outdated. */
const figuresOf = ({ state, running, waiting, lagMs }: HostRow) =>
  state === 'dead' || state === 'left' ? { running: 0, waiting: 0, lag_ms: 0 } : { running, waiting, lag_ms: lagMs };

/** Nothing in it names a process, or counts the runs of anyone. */
export function workerPool(hosts: readonly HostRow[]): WorkerPool {
  const alive = hosts.filter(({ state }) => state === 'alive');
  const sum = (of: (host: HostRow) => number): number => alive.reduce((total, host) => total + of(host), 0);
  const capacity = sum((host) => host.capacity);
  const used = capacity === 0 ? 0 : Math.min(1, sum(({ running, waiting }) => running + waiting) / capacity);
  const state = alive.length === 0 ? 'unavailable' : used < 1 ? 'healthy' : 'full';
  return { id: 'executors', state, capacity_used: Math.round(used * 100) / 100 };
}

export const workerRow = (host: HostRow): WorkerRow => ({
  id: host.id,
  node_id: host.nodeId,
  version: host.version,
  started_at: iso(host.startedAt),
  lease_until: iso(host.leaseUntil),
  state: host.state,
  capacity: host.capacity,
  ...figuresOf(host),
});

/** The public view, for any caller that knows the id: without the input and without errors of steps. */
export function publicView(execution: Execution): PublicExecutionView {
  return {
    id: execution.id,
    status: execution.status,
    ...timesOf(execution),
    output: execution.output,
    error: execution.error === null ? null : { ...publicError(execution.error), request_id: execution.requestId },
  };
}
