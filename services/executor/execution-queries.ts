import { NO_TRIALS } from '../../lib/trial';
import { type Filter, MongoServerError, type Sort } from 'mongodb';
import { AppError } from '../../lib/errors';
import { isUuid } from '../../lib/ids';
import type { Execution } from '../../runtime/core/model';
import type { Collections } from '../../runtime/mongo/collections';
import type { ExecutionDocument } from '../../runtime/mongo/documents';
import { labelsFromDocument } from '../../runtime/mongo/start-members';
import { pauseFromDocument, type WaitingDocument } from '../../runtime/mongo/wait-documents';
import { BY_WORKFLOW_NEWEST } from '../../runtime/mongo/indexes';
import type { ExecutionRow } from '../../contracts/executions/views';
import type { RecentRun } from '../../contracts/workflows/views';
import type { Records } from './records';
import type { Selection } from './visibility';
import { listRow, type RowFields } from './views';

/** Without the questions and forms of waits, which may be large. */
const ROW = {
  workflow_id: 1,
  workflow_name: 1,
  status: 1,
  trigger_type: 1,
  started_at: 1,
  ended_at: 1,
  error: 1,
  tokens: 1,
  cost_usd: 1,
  retry_of: 1,
  labels: 1,
  'parent.execution_id': 1,
  'waiting.step_id': 1,
  'waiting.kind': 1,
  'waiting.name': 1,
  'waiting.since': 1,
  'waiting.until': 1,
  pause: 1,
} as const;

const RECENT_RUNS = 10;
const RECENT = { status: 1, trigger_type: 1, started_at: 1, duration_ms: 1 } as const;

type RowDocument = Pick<
  ExecutionDocument,
  | '_id'
  | 'workflow_id'
  | 'workflow_name'
  | 'status'
  | 'trigger_type'
  | 'started_at'
  | 'ended_at'
  | 'error'
  | 'tokens'
  | 'cost_usd'
  | 'retry_of'
  | 'labels'
  | 'pause'
> & {
  readonly waiting: Pick<WaitingDocument, 'step_id' | 'kind' | 'name' | 'since' | 'until'>[];
  readonly parent?: { readonly execution_id: string } | null;
};
/** Sorted by time, not by id: derived ids contain no time. */
const NEWEST_FIRST: Sort = { started_at: -1, _id: -1 };

/** One page of a list. `cursor`: the end of the previous page. */
interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string;
  readonly status?: Execution['status'];
  readonly workflow_id?: string;
  /** False: trials are left out. */
  readonly trials?: boolean;
  /** Filter and order of a query, in addition to the status filter. */
  readonly selection?: Selection;
  /** Leaves out runs that the caller may not see. */
  readonly visible: Filter<ExecutionDocument>;
}

/** Time limit, because a user's query may scan all runs of its tenant. */
export const MAX_QUERY_MS = 20_000;
const MAX_TIME_EXPIRED = 50;
const MAX_COUNTED = 1_000;

/** The only place where a tenant's executions are queried: every filter here contains the tenant. */
export class ExecutionQueries {
  readonly #collections: Collections;

  constructor(private readonly records: Records) {
    this.#collections = records.collections;
  }

  /** @throws AppError not_found, also for a run of another tenant */
  async get(tenantId: string, id: string): Promise<Execution> {
    const execution = await this.find(id);
    if (execution.tenantId !== tenantId) throw notFound(id);
    return execution;
  }

  /** Finds a run by id only; the id is a capability on public routes. @throws AppError not_found */
  async find(id: string): Promise<Execution> {
    const execution = isUuid(id) ? await this.records.store.load(id) : null;
    if (execution === null) throw notFound(id);
    return execution;
  }

  /**
   * Lists runs, newest first unless a selection has another order. The cost of a page by cursor is constant; a page by offset
   * reads all rows before it. @throws AppError invalid_request, invalid_query
   */
  async page(tenantId: string, page: Page): Promise<{ rows: ExecutionRow[]; next: string | null }> {
    const sort = page.selection?.sort ?? null;
    if (sort !== null && page.cursor !== undefined)
      throw new AppError('invalid_request', 'A list with ORDER BY is paged by offset, not by cursor');
    const own: Filter<ExecutionDocument> = {
      tenant_id: tenantId,
      ...(page.workflow_id === undefined ? {} : { workflow_id: page.workflow_id }),
      ...(page.status === undefined ? {} : { status: page.status }),
      ...(page.trials === false ? NO_TRIALS : {}),
      ...(page.cursor === undefined ? {} : after(page.cursor)),
    };
    const query = this.#collections.executions
      // Combined with `$and`, so that a selection cannot extend the filter to other tenants.
      .find({ $and: [own, page.visible, ...(page.selection === undefined ? [] : [page.selection.filter])] })
      .sort(sort ?? NEWEST_FIRST)
      .skip(page.cursor === undefined ? page.offset : 0)
      .limit(page.limit + 1)
      .maxTimeMS(MAX_QUERY_MS)
      .project<RowDocument>(ROW);
    // A workflow's runs are fewer than those of its tenant, also with a status.
    if (page.workflow_id !== undefined && sort === null) query.hint(BY_WORKFLOW_NEWEST);
    const documents = await query.toArray().catch(toQueryError);
    const rows = documents.slice(0, page.limit).map((document) => listRow(rowFields(document)));
    const hasMore = sort === null && documents.length > page.limit;
    return { rows, next: hasMore ? cursorOf(documents[page.limit - 1]) : null };
  }

  /** Ids of the runs of a selection up to a limit, and whether there are more. @throws AppError invalid_query */
  async select(
    tenantId: string,
    { filter, sort }: Selection,
    max: number,
    visible: Filter<ExecutionDocument>,
  ): Promise<{ ids: string[]; more: boolean }> {
    const documents = await this.#collections.executions
      .find({ $and: [{ tenant_id: tenantId }, visible, filter] })
      .sort(sort ?? NEWEST_FIRST)
      .limit(max + 1)
      .maxTimeMS(MAX_QUERY_MS)
      .project<{ _id: string }>({ _id: 1 })
      .toArray()
      .catch(toQueryError);
    return { ids: documents.slice(0, max).map(({ _id }) => _id), more: documents.length > max };
  }

  /** The statuses of the given runs that exist. */
  statuses(tenantId: string, ids: readonly string[]): Promise<{ id: string; status: Execution['status'] }[]> {
    return this.#collections.executions
      .find({ _id: { $in: [...ids] }, tenant_id: tenantId })
      .project<Pick<ExecutionDocument, '_id' | 'status'>>({ status: 1 })
      .map(({ _id, status }) => ({ id: _id, status }))
      .toArray();
  }

  /** The last runs of some workflows. Each costs one read of as many index entries as it has rows. */
  recent(tenantId: string, workflowIds: readonly string[]): Promise<{ workflow_id: string; runs: RecentRun[] }[]> {
    return Promise.all(
      workflowIds.map(async (workflow_id) => {
        const documents = await this.#collections.executions
          .find({ workflow_id, tenant_id: tenantId, ...NO_TRIALS })
          .sort(NEWEST_FIRST)
          .limit(RECENT_RUNS)
          .maxTimeMS(MAX_QUERY_MS)
          .project<Pick<ExecutionDocument, '_id' | 'status' | 'trigger_type' | 'started_at' | 'duration_ms'>>(RECENT)
          .toArray()
          .catch(toQueryError);
        const runs = documents.map(({ _id, started_at, status, trigger_type, duration_ms }) => ({
          id: _id,
          status,
          trigger_type,
          started_at: started_at.toISOString(),
          duration_ms,
        }));
        return { workflow_id, runs };
      }),
    );
  }

  /** One page of waiting steps, oldest runs first. @throws AppError invalid_query when it takes too long */
  async waitingSteps(
    tenantId: string,
    filter: Filter<WaitingStep>,
    { limit, offset }: Pick<Page, 'limit' | 'offset'>,
    fields: Readonly<Record<string, 1>> = { workflow_id: 1, workflow_name: 1, waiting: 1 },
  ) {
    const steps = await this.#collections.executions
      .aggregate<WaitingStep>(
        [
          { $match: { tenant_id: tenantId, status: 'running', 'waiting.0': { $exists: true } } },
          { $sort: { started_at: 1, _id: 1 } },
          { $project: fields },
          { $unwind: '$waiting' },
          { $match: filter },
          { $skip: offset },
          { $limit: limit },
        ],
        { maxTimeMS: MAX_QUERY_MS },
      )
      .toArray()
      .catch(toQueryError);
    return this.#withoutDecided(steps);
  }

  /** A decided approval, and a form that was filled in, still wait until their run has read the message. */
  async #withoutDecided(steps: readonly WaitingStep[]): Promise<WaitingStep[]> {
    const decisionId = ({ _id, waiting }: WaitingStep): string => `${_id}:${waiting.name}`;
    const ids = steps.filter(({ waiting: { kind } }) => kind === 'approval' || kind === 'form').map(decisionId);
    const decided = await this.#collections.signals
      .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
      .map(({ _id }) => _id)
      .toArray();
    return steps.filter((step) => !decided.includes(decisionId(step)));
  }

  /** The number of waiting steps, as far as it is counted. @throws AppError invalid_query when it takes too long */
  async countWaiting(tenantId: string, filter: Filter<WaitingStep>): Promise<{ count: number; more: boolean }> {
    const page = { limit: MAX_COUNTED + 1, offset: 0 };
    const found = await this.waitingSteps(tenantId, filter, page, {
      workflow_id: 1,
      'waiting.kind': 1,
      'waiting.approvers': 1,
    });
    return { count: Math.min(found.length, MAX_COUNTED), more: found.length > MAX_COUNTED };
  }
}

const rowFields = (document: RowDocument): RowFields => ({
  id: document._id,
  workflowId: document.workflow_id,
  workflowName: document.workflow_name,
  status: document.status,
  triggerType: document.trigger_type,
  startedAt: document.started_at.getTime(),
  endedAt: document.ended_at?.getTime() ?? null,
  error: document.error,
  waiting: document.waiting.map((waiting) => ({
    ...waiting,
    since: waiting.since.getTime(),
    until: waiting.until?.getTime() ?? null,
  })),
  pause: pauseFromDocument(document.pause),
  tokens: document.tokens,
  costUsd: document.cost_usd,
  retryOf: document.retry_of,
  ...(document.labels === undefined ? {} : { labels: labelsFromDocument(document.labels) }),
  parent: document.parent ? { executionId: document.parent.execution_id } : null,
});

/** A waiting step and its run. */
export interface WaitingStep extends Pick<ExecutionDocument, '_id' | 'workflow_id' | 'workflow_name'> {
  readonly waiting: WaitingDocument;
}

/** The sort key of a page's last row: start and id. */
const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

const cursorOf = (row: Pick<ExecutionDocument, '_id' | 'started_at'> | undefined): string | null =>
  row === undefined ? null : `${row.started_at.getTime()}_${row._id}`;

/** Filter for the rows after a cursor. Its first clause bounds the index scan. @throws AppError invalid_request */
function after(cursor: string): Filter<ExecutionDocument> {
  const match = CURSOR.exec(cursor);
  if (match === null) throw new AppError('invalid_request', 'Invalid cursor: use next_cursor of a previous answer');
  const at = new Date(Number(match[1]));
  return { started_at: { $lte: at }, $or: [{ started_at: { $lt: at } }, { _id: { $lt: match[2] } }] };
}

export function toQueryError(fault: unknown): never {
  if (!(fault instanceof MongoServerError) || fault.code !== MAX_TIME_EXPIRED) throw fault;
  throw new AppError('invalid_query', 'The query takes too long: narrow it, for example by StartTime');
}

/** The same error for unknown executions and for those of other tenants. */
export const notFound = (id: string): AppError => new AppError('not_found', `There is no execution ${id}`);
