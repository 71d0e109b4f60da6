import { isTrial } from '../../lib/trial';
import type { Json, JsonObject } from '../../lib/json';
import type { EndStatus, JournalRecord, RunError } from '../core/entries/entry';
import type { Message } from '../core/state/state';
import type { OutboxItem, Execution, Parent, RunTrace } from '../core/model';
import { batchOf, type GatheringDocument, gatheringFromDocument, gatheringToDocument } from './gathering-documents';
import {
  type ConcurrencyDocument,
  concurrencyFromDocument,
  concurrencyToDocument,
  labelsFromDocument,
  labelsToDocument,
  rankOf,
  type ThrottleDocument,
  throttleFromDocument,
  throttleToDocument,
} from './start-members';
import {
  type PauseDocument,
  pauseFromDocument,
  pauseToDocument,
  type WaitingDocument,
  waitingFromDocument,
  waitingToDocument,
} from './wait-documents';

/**
 * Values of users (payloads, outputs, entries) are stored as JSON text. As BSON documents they would be rejected or
 * changed because of their keys (a NUL byte, a depth over 100), and text is written and read several times faster.
 */

/** JSON text, or the hash of its payload. */
export type BigText = { json: string } | { ref: string };

export interface ExecutionDocument {
  _id: string;
  tenant_id: string;
  workflow_id: string;
  workflow_name: string;
  plan_hash: string;
  env: string;
  status: 'running' | EndStatus;
  trigger_type: string;
  trigger: BigText;
  input_key: string | null;
  output: BigText;
  error: RunError | null;
  response: BigText;
  waiting: WaitingDocument[];
  retry_of: string | null;
  preload: { execution_id: string; from_step: string | null; only_unchanged?: true } | null;
  parent: { execution_id: string; path: string; awaited: boolean } | null;
  /** This and other optional members are absent in runs that were stored before there were several hosts. */
  depth?: number;
  concurrency?: ConcurrencyDocument | null;
  /** Absent: none. */
  throttle?: ThrottleDocument;
  /** Absent: it stands for one start. */
  gathering?: GatheringDocument;
  /** Triggers of a batch that has not begun; its trigger is made of them. */
  events?: BigText[];
  /** Present where it may wait behind others: of runs with a priority, a concurrency group or a throttle, and of parked ones. */
  rank?: Date;
  /** Texts such as `order=17`, by name; absent: none. The name of a label has no `=`. */
  labels?: string[];
  /** Absent: none. */
  warnings?: { path: string; message: string }[];
  request_id: string | null;
  trace?: RunTrace;
  started_at: Date;
  deadline_at: Date | null;
  ended_at: Date | null;
  duration_ms: number | null;
  steps?: number;
  tokens: number;
  cost_usd: number;
  owner: string | null;
  epoch: number;
  /** Absent in runs of versions that did not count claims. */
  claims?: number;
  /** A trial, which is removed early; absent for other runs. */
  trial?: true;
  size?: number;
  signals?: number;
  wake_at: Date | null;
  inbox: number;
  parked?: boolean;
  /** Absent: the first, see `format.ts`. */
  format?: number;
  cancelling?: boolean;
  pause?: PauseDocument;
  closes_by?: Date | null;
  outbox?: OutboxItemDocument[];
  /** The record stored with the end; the journal of a short run consists of it alone. */
  tail: TailDocument | null;
}

/** An outbox item inside the document of an ended run. */
export type OutboxItemDocument =
  | (SignalDocument & { kind: 'post'; to: string })
  | Exclude<OutboxItem, { kind: 'post' }>;

/** A journal document inside its run's. */
type TailDocument = Omit<JournalDocument, '_id'> & { n: number };

export interface JournalDocument {
  _id: string;
  epoch: number;
  host: string;
  at: Date;
  before: number;
  entries: string;
}

export interface SignalDocument {
  _id: string;
  name: string;
  data: string;
  by: string | null;
  at: Date;
  taken?: true | null;
}

export interface PayloadDocument {
  _id: string;
  json: string;
}

/** A batch of log lines of a run. `lines` and `chars` are those of the log with this batch. */
export interface LogDocument {
  _id: string;
  lines: number;
  chars: number;
  text: string;
}

export interface HostDocument {
  _id: string;
  node_id: string;
  version: string;
  capacity: number;
  /** This and the two others are of the last renewal. */
  running: number;
  waiting: number;
  lag_ms: number;
  state: 'alive' | 'draining' | 'dead' | 'left';
  started_at: Date;
  lease_until: Date;
  ended_at?: Date;
}

/** The permit holders of a group. */
export interface GroupDocument {
  _id: string;
  /** `host`: the host that is about to store the run. */
  holders: { id: string; at: Date; host?: string }[];
  /** The last run that began to wait, and when; false: none waits. Absent in groups of earlier versions. */
  queued?: string | false;
}

/** The slot pool of a tenant: allocations by host. */
export interface SlotPoolDocument {
  _id: string;
  rev: number;
  shares: { host: string; n: number }[];
}

/** A cached output of a step. */
export interface OutputDocument {
  _id: string;
  tenant_id: string;
  workflow_id: string;
  json: string;
  until: Date;
}

const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
const instant = (value: Date | null): number | null => (value === null ? null : value.getTime());
const parse = (text: string): Json => JSON.parse(text) as Json;

/** The members of a run that may be payloads. */
type BigMembers = Pick<ExecutionDocument, 'trigger' | 'output' | 'response'>;

export function executionToDocument(
  execution: Execution,
  big: BigMembers,
  tail: JournalRecord | null,
): ExecutionDocument {
  return {
    _id: execution.id,
    tenant_id: execution.tenantId,
    workflow_id: execution.workflowId,
    workflow_name: execution.workflowName,
    plan_hash: execution.planHash,
    env: execution.env,
    status: execution.status,
    trigger_type: execution.triggerType,
    ...big,
    input_key: execution.inputKey,
    error: execution.error,
    waiting: execution.waiting.map(waitingToDocument),
    retry_of: execution.retryOf,
    preload:
      execution.resumeFrom === null
        ? null
        : {
            execution_id: execution.resumeFrom.executionId,
            from_step: execution.resumeFrom.fromStep,
            ...(execution.resumeFrom.onlyUnchanged === true ? { only_unchanged: true } : {}),
          },
    parent: execution.parent === null ? null : parentToDocument(execution.parent),
    request_id: execution.requestId,
    ...(execution.trace === undefined ? {} : { trace: execution.trace }),
    started_at: new Date(execution.startedAt),
    deadline_at: date(execution.deadlineAt),
    ended_at: date(execution.endedAt),
    duration_ms: execution.endedAt === null ? null : execution.endedAt - execution.startedAt,
    steps: execution.steps,
    tokens: execution.tokens,
    cost_usd: execution.costUsd,
    owner: execution.owner,
    epoch: execution.epoch,
    wake_at: date(execution.wakeAt),
    inbox: execution.messageSeq,
    tail: tail === null ? null : tailToDocument(tail),
    ...optionalMembers(execution),
  };
}

/** The members that decide when a run begins. */
function limitMembers(execution: Execution): Partial<ExecutionDocument> {
  const { concurrency, throttle, gathering, rank, startedAt, parked } = execution;
  const members: Partial<ExecutionDocument> = {};
  if (concurrency !== null) members.concurrency = concurrencyToDocument(concurrency);
  if (throttle !== undefined) members.throttle = throttleToDocument(throttle);
  if (gathering !== undefined) members.gathering = gatheringToDocument(gathering);
  if (rank !== undefined || concurrency !== null || throttle !== undefined || parked)
    members.rank = new Date(rank ?? startedAt);
  return members;
}

/** The members that a reader of any version takes for their defaults when they are absent, without defaults. */
function optionalMembers(execution: Execution): Partial<ExecutionDocument> {
  const { depth, claims, size, signals, parked, cancelling, pause, cleanupDeadline, outbox, labels, warnings } =
    execution;
  const members: Partial<ExecutionDocument> = limitMembers(execution);
  if (isTrial(execution.triggerType)) members.trial = true;
  if (depth !== 0) members.depth = depth;
  if (labels !== undefined) members.labels = labelsToDocument(labels);
  if (warnings !== undefined) members.warnings = warnings.map((warning) => ({ ...warning }));
  if (claims !== 0) members.claims = claims;
  if (size !== 0) members.size = size;
  if (signals !== 0) members.signals = signals;
  if (parked) members.parked = parked;
  if (cancelling) members.cancelling = cancelling;
  if (pause !== null) members.pause = pauseToDocument(pause);
  if (cleanupDeadline !== null) members.closes_by = new Date(cleanupDeadline);
  if (outbox.length > 0) members.outbox = outbox.map(outboxItemToDocument);
  return members;
}

/** `big` returns the value of a text, which may be a payload. */
export function executionFromDocument(document: ExecutionDocument, big: (text: BigText) => Json): Execution {
  return {
    id: document._id,
    tenantId: document.tenant_id,
    workflowId: document.workflow_id,
    workflowName: document.workflow_name,
    planHash: document.plan_hash,
    env: document.env,
    status: document.status,
    triggerType: document.trigger_type,
    trigger: document.events === undefined ? (big(document.trigger) as JsonObject) : batchOf(document.events, big),
    inputKey: document.input_key,
    output: big(document.output),
    error: document.error,
    response: big(document.response) as JsonObject | null,
    waiting: document.waiting.map(waitingFromDocument),
    retryOf: document.retry_of,
    resumeFrom:
      document.preload === null
        ? null
        : {
            executionId: document.preload.execution_id,
            fromStep: document.preload.from_step,
            ...(document.preload.only_unchanged === true ? { onlyUnchanged: true } : {}),
          },
    parent: document.parent === null ? null : parentFromDocument(document.parent),
    depth: document.depth ?? 0,
    concurrency: document.concurrency ? concurrencyFromDocument(document.concurrency) : null,
    ...(document.throttle === undefined ? {} : { throttle: throttleFromDocument(document.throttle) }),
    ...(document.gathering === undefined ? {} : { gathering: gatheringFromDocument(document.gathering) }),
    ...rankOf(document),
    ...(document.labels === undefined ? {} : { labels: labelsFromDocument(document.labels) }),
    ...(document.warnings === undefined ? {} : { warnings: document.warnings }),
    requestId: document.request_id,
    ...(document.trace === undefined ? {} : { trace: document.trace }),
    startedAt: document.started_at.getTime(),
    deadlineAt: instant(document.deadline_at),
    endedAt: instant(document.ended_at),
    steps: document.steps ?? 0,
    tokens: document.tokens,
    costUsd: document.cost_usd,
    owner: document.owner,
    epoch: document.epoch,
    claims: document.claims ?? 0,
    size: document.size ?? 0,
    signals: document.signals ?? 0,
    wakeAt: instant(document.wake_at),
    messageSeq: document.inbox,
    parked: document.parked ?? false,
    cancelling: document.cancelling ?? false,
    pause: pauseFromDocument(document.pause),
    cleanupDeadline: instant(document.closes_by ?? null),
    outbox: (document.outbox ?? []).map(outboxItemFromDocument),
  };
}

const parentToDocument = ({ executionId, ...rest }: Parent) => ({ ...rest, execution_id: executionId });

const parentFromDocument = ({ execution_id, ...rest }: NonNullable<ExecutionDocument['parent']>): Parent => ({
  ...rest,
  executionId: execution_id,
});

/** Eight digits: a journal of a hundred million records still sorts by its ids. */
export const journalId = (executionId: string, n: number): string => `${executionId}:${String(n).padStart(8, '0')}`;

export function recordToDocument(record: JournalRecord): JournalDocument {
  return {
    _id: journalId(record.executionId, record.n),
    epoch: record.epoch,
    host: record.host,
    at: new Date(record.at),
    before: record.before,
    entries: record.json,
  };
}

export function tailToDocument(record: JournalRecord): TailDocument {
  const { _id, ...document } = recordToDocument(record);
  return { n: record.n, ...document };
}

export const recordFromTail = (executionId: string, { n, ...document }: TailDocument): JournalRecord =>
  recordFromDocument({ _id: journalId(executionId, n), ...document });

export function recordFromDocument(document: JournalDocument): JournalRecord {
  const colon = document._id.lastIndexOf(':');
  return {
    executionId: document._id.slice(0, colon),
    n: Number(document._id.slice(colon + 1)),
    epoch: document.epoch,
    host: document.host,
    at: document.at.getTime(),
    before: document.before,
    json: document.entries,
  };
}

export function messageToDocument(executionId: string, message: Message): SignalDocument {
  return {
    _id: `${executionId}:${message.id}`,
    name: message.name,
    data: JSON.stringify(message.data),
    by: message.by,
    at: new Date(message.at),
  };
}

export function messageFromDocument(document: SignalDocument): Message {
  return {
    id: document._id.slice(document._id.indexOf(':') + 1),
    name: document.name,
    data: parse(document.data) as JsonObject,
    by: document.by,
    at: document.at.getTime(),
  };
}

export const outboxItemToDocument = (item: OutboxItem): OutboxItemDocument =>
  item.kind === 'post' ? { kind: 'post', to: item.to, ...messageToDocument(item.to, item.message) } : item;

export function outboxItemFromDocument(document: OutboxItemDocument): OutboxItem {
  if (document.kind !== 'post') return document;
  const { kind, to, ...message } = document;
  return { kind, to, message: messageFromDocument(message) };
}
