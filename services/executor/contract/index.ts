import type { JsonObject } from '../../../lib/json';
import type { Candidate } from '../../../runtime/store/port';
import type {
  ExecutionStatus,
  ExecutionPage,
  ExecutionView,
  StepView,
  TimelineSpan,
  RunEvent,
  ApprovalRow,
  StartParams,
  StartResult,
  StartedView,
  PublicExecutionView,
  WorkerRow,
  DayFigures,
} from './views';

export type * from './views';

export interface ExecutorActions {
  /** Internal: starts a run on this host. */
  'executor.start': (p: StartParams) => StartResult;
  /** Internal: stores a run for any host to begin, where none can be reached. */
  'executions.accept': (p: StartParams) => StartResult;
  /** Internal: a run when it has ended, or as it is when the time is up or this node is about to stop. */
  'executions.settled': (p: { id: string; wait_ms: number }) => StartResult;
  /** Internal: how the tenant's runs with these ids, at most 400, stand; those that are there no more are left out. */
  'executions.statuses': (p: { ids: string[] }) => { data: { id: string; status: ExecutionStatus }[] };
  /** Internal: cancels the running executions of a workflow, then removes all its executions with what belongs to them. */
  'executions.purge': (p: { workflow_id: string }) => { removed: number };
  /** Internal: executions of the tenant that count in this month. */
  'executions.usage': (p: Record<string, never>) => { executions: number };
  /** Internal: the tenant's runs of the last days, today last. */
  'executions.figures': (p: { days: number }) => { data: DayFigures[] };
  /** Internal: figures of the last `window_hours` by workflow. */
  'executions.health': (p: { workflow_ids: string[]; window_hours: number }) => {
    data: {
      workflow_id: string;
      total: number;
      completed: number;
      failed: number;
      cancelled: number;
      running: number;
      waiting: number;
      p50_ms: number | null;
      p95_ms: number | null;
      last_execution_at: string | null;
      last_error: string | null;
    }[];
  };
  'executor.ready': (p: Record<string, never>) => {
    ready: boolean;
    running: number;

    reason: string | null;
  };

  /** Who hosts executions. */
  'executions.workers': (p: Record<string, never>) => { data: WorkerRow[] };
  'executions.list': (p: {
    limit?: number;
    offset?: number;
    cursor?: string;
    status?: ExecutionStatus;
    workflow_id?: string;
  }) => ExecutionPage;
  /** By a list filter; without one, all. */
  'executions.visibility': (p: { query?: string; limit?: number; offset?: number; cursor?: string }) => ExecutionPage;
  'executions.get': (p: { id: string }) => ExecutionView;
  'executions.timeline': (p: { id: string }) => {
    execution_id: string;
    status: ExecutionStatus;
    started_at: string;
    ended_at: string | null;
    /** In the order in which they began. */
    spans: TimelineSpan[];
    truncated: boolean;
  };
  /** To every run that a query means; `refused` has the first hundred that it could not be done to. */
  'executions.bulk': (p: {
    query: string;
    action: 'cancel' | 'retry' | 'signal';
    dry_run?: boolean;
    signal?: string;
    data?: JsonObject;
    from_step?: string;
    input?: JsonObject;
    use_latest?: boolean;
    /** Repeated with it, nothing is retried twice. */
    idempotency_key?: string;
  }) => {
    action: string;
    dry_run: boolean;
    matched: number;
    /** There are more than can be done at once. */
    more: boolean;
    accepted: number;
    refused: { execution_id: string; code: string; message: string }[];
  };
  /** The steps of a run, a page at a time. `include`: any of `attempts`, `parts`, `logs`, between commas. */
  'executions.detail': (p: {
    id: string;
    include?: string;
    limit?: number;
    offset?: number;
    /** Of one step: its id, or what it is called in a loop (`ask.17`). */
    step_id?: string;
    /** Of what is at a path, or below it. */
    path?: string;
  }) => { execution: ExecutionView; steps: StepView[]; total: number; limit: number; offset: number };
  'executions.cancel': (p: { id: string }) => ExecutionView;
  'executions.retry': (p: {
    id: string;
    from_step?: string;
    input?: JsonObject;
    use_latest?: boolean;
    idempotency_key?: string;
  }) => StartedView;
  'executions.signal': (p: { id: string; signal: string; data?: JsonObject }) => {
    accepted: true;
    execution_id: string;
    signal: string;
  };
  /** Internal: a signal that a step of another run sends, once: `message_id` says which it is. */
  'executions.deliver': (p: { id: string; signal: string; data: JsonObject; message_id: string; by: string }) => {
    accepted: true;
    execution_id: string;
    signal: string;
  };
  /** `origin`: where the caller has reached the API, for links where BASE_URL is not set. */
  'executions.approvals': (p: { origin?: string | undefined }) => { data: ApprovalRow[] };
  /** Public: the pair of ids is the capability. Without `decision`: what there is to decide. */
  'executions.decide_by_link': (p: { id: string; step_id: string; decision?: 'approve' | 'reject' }) => {
    execution_id: string;
    step_id: string;
    message: string;
    approved: boolean | null;
  };
  'executions.feedback': (p: { id: string; step_id: string; rating: string; comment?: string }) => {
    execution_id: string;
    step_id: string;
    rating: string;
    comment: string | null;
  };
  /** Public by the id's secrecy. */
  'executions.public': (p: { id: string }) => PublicExecutionView;
  /**
   * Events after a position, and whether the run has ended. `audience: public` leaves out what a stranger must not
   * see. Keeps telling `execution.moved` about the run for half a minute.
   */
  'executions.events': (p: { id: string; after?: number; audience: 'tenant' | 'public' }) => {
    events: RunEvent[];
    ended: boolean;
  };
}

/**
 * A piece of a text that a step is making. `take` changes when the text begins anew; `at` counts the characters of the
 * take that went before.
 */
export interface SaidEvent {
  id: string;
  step_id: string;
  take: string;
  at: number;
  text: string;
}

export interface ExecutorEvents {
  /**
   * To all hosts: the node wants to hear of these runs; for half a minute, unless it says so again. `said`: also what
   * their last steps say as it comes.
   */
  'execution.watch': { ids: string[]; node: string; said?: boolean };
  /** To the nodes that watch a run: it has new records. */
  'execution.moved': { id: string; ended: boolean };
  /** To the nodes that listen to a run: a piece of what it says. */
  'execution.said': SaidEvent;
  /** To the host that owns a run: there may be new mail for it. */
  'executor.mail': { id: string };
  /** To hosts: a run may be due; `run`: this one is, as far as its sender knows. */
  'executor.wake': { run?: Candidate };
}
