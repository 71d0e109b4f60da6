import type { Json } from '../../lib/json';
import { publicError } from '../../lib/public-error';
import type { Execution, Waiting } from '../../runtime/core/model';
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

const waitingView = (waiting: Waiting): WaitingView => ({
  step_id: waiting.step_id,
  kind: waiting.kind,
  name: waiting.name,
  since: iso(waiting.since),
  until: isoOrNull(waiting.until),
});

/** The run's input as its author thinks of it: a request's body, or all that the trigger brought. */
export const inputOf = ({ trigger, inputKey }: Pick<Execution, 'trigger' | 'inputKey'>): Json =>
  inputKey === null ? trigger : Object.hasOwn(trigger, inputKey) ? (trigger[inputKey] as Json) : null;

export function executionRow(
  execution: Pick<Execution, 'id' | 'workflowId' | 'status' | 'triggerType' | 'startedAt' | 'endedAt'>,
): ExecutionRow {
  const { startedAt, endedAt } = execution;
  return {
    id: execution.id,
    workflow_def_id: execution.workflowId,
    status: execution.status,
    trigger_type: execution.triggerType,
    started_at: iso(startedAt),
    ended_at: isoOrNull(endedAt),
    duration_ms: endedAt === null ? null : endedAt - startedAt,
  };
}

export function executionView(execution: Execution): ExecutionView {
  return {
    ...executionRow(execution),
    tenant_id: execution.tenantId,
    trigger: execution.trigger,
    input: inputOf(execution),
    output: execution.output,
    error: execution.error,
    waiting: execution.waiting.map(waitingView),
    retry_of: execution.retryOf,
    parent: execution.parent?.executionId ?? null,
    tokens: execution.tokens,
    cost_usd: execution.costUsd,
  };
}

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
  const { workflow_def_id: _workflow, trigger_type: _trigger, ...row } = executionRow(execution);
  return {
    ...row,
    output: execution.output,
    error: execution.error === null ? null : { ...publicError(execution.error), request_id: execution.requestId },
  };
}
