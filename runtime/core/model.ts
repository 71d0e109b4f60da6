import type { Json, JsonObject } from '../../lib/json';
import type { Gathering } from './decide/gathering';
import type { Throttle } from './decide/throttle';
import type { EndStatus, RunError } from './entries/entry';
import type { Message } from './state/state';

/** What a run waits for. Instants in epoch milliseconds; `until` null: no limit. */
export interface Waiting {
  readonly step_id: string | null;
  readonly kind:
    | 'approval'
    | 'batch'
    | 'capacity'
    | 'child'
    | 'connection'
    | 'debounce'
    | 'form'
    | 'retry'
    | 'signal'
    | 'slot'
    | 'throttle'
    | 'timer';
  readonly name: string | null;
  readonly since: number;
  readonly until: number | null;
  /** Of an approval: the question, the approvers and the form. Of a form: its title and its fields. */
  readonly message?: string;
  readonly approvers?: readonly string[];
  readonly form?: Json;
  /** Of a form: the rest of its page. */
  readonly page?: FormPage;
}

/** The page of a form beside its title and its fields. */
export interface FormPage {
  readonly description: string;
  readonly submit: string;
  readonly access: 'page' | 'link';
}

/**
 * The last request to pause a run or to resume it. `rev` counts the requests of the run from 1; `at` is in epoch
 * milliseconds, `by` the e-mail address of the sender.
 */
export interface PauseRequest {
  readonly kind: 'pause' | 'resume';
  readonly rev: number;
  readonly at: number;
  readonly by: string | null;
  readonly reason: string | null;
}

/** The concurrency group of a run, and what the run does when no permit is free. */
export interface Concurrency {
  /** A hash of tenant, workflow and key; of tenant, name and key where it is shared. */
  readonly group: string;
  /** The value of the key, as shown to users. */
  readonly key: string;
  readonly limit: number;
  readonly onConflict: 'queue' | 'skip' | 'cancel_running';
  /** Workflows with a limit of this name share its permits, each with its own limit; absent: the limit of one workflow. */
  readonly name?: string;
}

/** Something in the document that did not work as written when the run started. */
export interface RunWarning {
  /** Such as `labels.order`. */
  readonly path: string;
  readonly message: string;
}

/** The step of another run that started this one. */
export interface Parent {
  readonly executionId: string;
  readonly path: string;
  /** The step waits for the end of this run. */
  readonly awaited: boolean;
}

/** A task that follows from the end of a run. Repeating it changes nothing. */
export type OutboxItem =
  /** A message to another run. */
  | { readonly kind: 'post'; readonly to: string; readonly message: Message }
  /** Releases its permit of a group. */
  | { readonly kind: 'leave'; readonly group: string; readonly limit: number }
  /** Publishes the end, for workflows that it triggers. */
  | { readonly kind: 'announce' };

/** The trace of a run: its own span, and its parent span. Ids as in W3C Trace Context. */
export interface RunTrace {
  readonly id: string;
  readonly span: string;
  readonly parent: string | null;
  readonly sampled: boolean;
}

/** The document of a run. Instants in epoch milliseconds. */
export interface Execution {
  readonly id: string;
  readonly tenantId: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly planHash: string;
  readonly env: string;
  readonly status: 'running' | EndStatus;
  readonly triggerType: string;
  readonly trigger: JsonObject;
  /** The member of the trigger that is shown as the input; null: all of it. */
  readonly inputKey: string | null;
  readonly output: Json;
  readonly error: RunError | null;
  /** The response that a `webhook_response` step returned. */
  readonly response: JsonObject | null;
  readonly waiting: readonly Waiting[];
  readonly retryOf: string | null;
  /** The run of which entries are reused; `onlyUnchanged`: of steps that are the same in both plans. */
  readonly resumeFrom: {
    readonly executionId: string;
    readonly fromStep: string | null;
    readonly onlyUnchanged?: true;
  } | null;
  readonly parent: Parent | null;
  /** Number of ancestors. */
  readonly depth: number;
  readonly concurrency: Concurrency | null;
  /** Absent: runs of its workflow start as often as they are asked for. */
  readonly throttle?: Throttle;
  /** The starts that it stands for; absent: one. */
  readonly gathering?: Gathering;
  /** Its place among waiting runs of its tenant, see core/decide/priority.ts; absent: the time of its start. */
  readonly rank?: number;
  /** Values by name, for searches; absent: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Absent: none. */
  readonly warnings?: readonly RunWarning[];
  readonly requestId: string | null;
  /** Absent without tracing. */
  readonly trace?: RunTrace;
  readonly startedAt: number;
  readonly deadlineAt: number | null;
  readonly endedAt: number | null;
  /** Executed steps; reused ones do not count. */
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** The owning host; null when there is none. */
  readonly owner: string | null;
  /** Incremented by every claim. A write with an older epoch matches nothing. */
  readonly epoch: number;
  /** Claims since the last release or successful claim, see core/decide/poison.ts. */
  readonly claims: number;
  /** Size in memory at the last release, in characters; 0: unknown. */
  readonly size: number;
  /** Number of messages from users, without those of the service, less the consumed ones at the last recount. */
  readonly signals: number;
  /** When the run is due; null while a host owns it. */
  readonly wakeAt: number | null;
  /** Number of messages. Only a host that has read all of them can release the run. */
  readonly messageSeq: number;
  /** Over its tenant's limit: not due for any host until a slot is free. */
  readonly parked: boolean;
  /** It was cancelled: it is claimed regardless of limits. */
  readonly cancelling: boolean;
  /** Null when there was none, and once the run is cancelled or cleans up. Of an ended run it has no meaning. */
  readonly pause: PauseRequest | null;
  /**
   * Deadline of the cleanup once the end is decided. Until then the run counts as any other, though it was cancelled or
   * is past its deadline. Null before a host has released it with a decided end.
   */
  readonly cleanupDeadline: number | null;
  /** Tasks that follow from its end and are not done yet. */
  readonly outbox: readonly OutboxItem[];
}

/** A run that waits for a host, with the fields needed to choose runs. */
export interface Candidate {
  readonly id: string;
  readonly tenantId: string;
  readonly epoch: number;
  /** Order of runs: when it became due; for a parked run, when it was started. */
  readonly since: number;
  /** Deadline of the run, or of its cleanup. */
  readonly deadlineAt: number | null;
  /** A cancellation is still to be processed; false once the end is decided. */
  readonly cancelling: boolean;
  /** True for a parked run that was not due when it was read. */
  readonly parked: boolean;
  /** Failed claims, see `Execution.claims`. */
  readonly claims: number;
  /** How much earlier it seems to have become due, among the runs of its tenant; absent: not at all. */
  readonly headStartMs?: number;
}

/** Identifies the claim of a write. */
export interface Claim {
  readonly id: string;
  readonly host: string;
  readonly epoch: number;
}

/** The claim under which a run was read. */
export const claimOf = ({ id, owner, epoch }: Execution): Claim => ({ id, host: owner as string, epoch });

/** The fields that an end writes into the run's document. */
export interface Ending {
  readonly status: EndStatus;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly output: Json;
  readonly error: RunError | null;
  readonly response: JsonObject | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly outbox: readonly OutboxItem[];
}

/** The run after its end. */
export const endedExecution = (execution: Execution, ending: Ending): Execution => ({
  ...execution,
  ...ending,
  waiting: [],
  owner: null,
  wakeAt: null,
  parked: false,
});

/** The due time of a wait without limit: later than any other. */
export const NEVER_MS = Date.UTC(9999, 11, 31);
