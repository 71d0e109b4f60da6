import { type Filter, MongoServerError, type Sort } from 'mongodb';
import { AppError } from '../../lib/errors';
import { isUuid } from '../../lib/ids';
import type { Execution } from '../../runtime/store/port';
import type { Collections } from '../../runtime/store/mongo/collections';
import type { ExecutionDocument } from '../../runtime/store/mongo/documents';
import type { ExecutionRow } from './contract';
import type { Records } from './records';
import type { Selection } from './visibility';
import { executionRow } from './views';

const ROW = { workflow_id: 1, status: 1, trigger_type: 1, started_at: 1, ended_at: 1 } as const;
/** By time, not by id: ids that are derived from a key say nothing of their time. */
const NEWEST_FIRST: Sort = { started_at: -1, _id: -1 };

/** One page of a list. `cursor`: where the page before ended. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string;
  readonly status?: Execution['status'];
  readonly workflow_id?: string;
  /** Which runs, and in which order, where somebody asks for more than a status. */
  readonly selection?: Selection;
}

/** A question of somebody's own may look at everything that there is. */
const LONGEST_LOOK_MS = 20_000;
const MAX_TIME_EXPIRED = 50;

/** The only place where a tenant's executions are looked up: his clause is in every filter that is made here. */
export class Executions {
  readonly #collections: Collections;

  constructor(private readonly records: Records) {
    this.#collections = records.collections;
  }

  /** @throws AppError not_found, for another tenant's as for none */
  async get(tenantId: string, id: string): Promise<Execution> {
    const execution = await this.find(id);
    if (execution.tenantId !== tenantId) throw notFound(id);
    return execution;
  }

  /** By the id alone, which is a capability on public routes. @throws AppError not_found */
  async find(id: string): Promise<Execution> {
    const execution = isUuid(id) ? await this.records.store.load(id) : null;
    if (execution === null) throw notFound(id);
    return execution;
  }

  /**
   * Newest first, unless a selection says otherwise. A page by cursor costs the same wherever it is; one by offset reads
   * what it passes over. @throws AppError invalid_request, invalid_query
   */
  async page(tenantId: string, page: Page): Promise<{ rows: ExecutionRow[]; next: string | null }> {
    const sort = page.selection?.sort ?? null;
    if (sort !== null && page.cursor !== undefined)
      throw new AppError('invalid_request', 'A list in an order of its own goes on by offset, not by cursor');
    const own: Filter<ExecutionDocument> = {
      tenant_id: tenantId,
      ...(page.workflow_id === undefined ? {} : { workflow_id: page.workflow_id }),
      ...(page.status === undefined ? {} : { status: page.status }),
      ...(page.cursor === undefined ? {} : after(page.cursor)),
    };
    const documents = await this.#collections.executions
      // Beside each other, so that nothing in a selection can widen what is the tenant's own.
      .find(page.selection === undefined ? own : { $and: [own, page.selection.filter] })
      .sort(sort ?? NEWEST_FIRST)
      .skip(page.cursor === undefined ? page.offset : 0)
      .limit(page.limit + 1)
      .maxTimeMS(LONGEST_LOOK_MS)
      .project<Pick<ExecutionDocument, '_id' | keyof typeof ROW>>(ROW)
      .toArray()
      .catch(inWords);
    const rows = documents.slice(0, page.limit).map((document) =>
      executionRow({
        id: document._id,
        workflowId: document.workflow_id,
        status: document.status,
        triggerType: document.trigger_type,
        startedAt: document.started_at.getTime(),
        endedAt: document.ended_at?.getTime() ?? null,
      }),
    );
    const goesOn = sort === null && documents.length > page.limit;
    return { rows, next: goesOn ? cursorOf(documents[page.limit - 1]) : null };
  }

  /** Ids of the runs of a selection, at most so many, and whether there are more. @throws AppError invalid_query */
  async select(tenantId: string, { filter, sort }: Selection, most: number): Promise<{ ids: string[]; more: boolean }> {
    const documents = await this.#collections.executions
      .find({ $and: [{ tenant_id: tenantId }, filter] })
      .sort(sort ?? NEWEST_FIRST)
      .limit(most + 1)
      .maxTimeMS(LONGEST_LOOK_MS)
      .project<{ _id: string }>({ _id: 1 })
      .toArray()
      .catch(inWords);
    return { ids: documents.slice(0, most).map(({ _id }) => _id), more: documents.length > most };
  }

  /** How runs stand, of those of these ids that there are. */
  statuses(tenantId: string, ids: readonly string[]): Promise<{ id: string; status: Execution['status'] }[]> {
    return this.#collections.executions
      .find({ _id: { $in: [...ids] }, tenant_id: tenantId })
      .project<Pick<ExecutionDocument, '_id' | 'status'>>({ status: 1 })
      .map(({ _id, status }) => ({ id: _id, status }))
      .toArray();
  }

  /** Runs that wait for a decision, oldest first. */
  async awaitingApproval(tenantId: string, limit: number): Promise<Execution[]> {
    const documents = await this.#collections.executions
      .find({ tenant_id: tenantId, status: 'running', 'waiting.kind': 'approval' })
      .sort({ _id: 1 })
      .limit(limit)
      .project<{ _id: string }>({ _id: 1 })
      .toArray();
    const executions = await Promise.all(documents.map((document) => this.records.store.load(document._id)));
    return executions.filter((execution) => execution !== null);
  }
}

/** The start and the id of a page's last row: what the order is made of. */
const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

const cursorOf = (row: Pick<ExecutionDocument, '_id' | 'started_at'> | undefined): string | null =>
  row === undefined ? null : `${row.started_at.getTime()}_${row._id}`;

/** What follows a cursor. The first clause alone bounds the walk through the index. @throws AppError invalid_request */
function after(cursor: string): Filter<ExecutionDocument> {
  const match = CURSOR.exec(cursor);
  if (match === null) throw new AppError('invalid_request', 'The cursor is none that a list has given');
  const at = new Date(Number(match[1]));
  return { started_at: { $lte: at }, $or: [{ started_at: { $lt: at } }, { _id: { $lt: match[2] } }] };
}

function inWords(fault: unknown): never {
  if (!(fault instanceof MongoServerError) || fault.code !== MAX_TIME_EXPIRED) throw fault;
  throw new AppError('invalid_query', 'To find these runs takes too long; narrow the query, best by StartTime');
}

const notFound = (id: string): AppError => new AppError('not_found', `There is no execution ${id}`);
