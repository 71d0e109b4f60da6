import { literalPattern } from '../../lib/text-patterns';
import type { QueryFilter } from 'mongoose';
import type { Call, ParamsOf, ResultOf } from '../../contracts/catalogue';
import type { WorkflowSort } from '../../contracts/workflows/params';
import type { RecentRun, WorkflowRow } from '../../contracts/workflows/views';
import { afterRow, decodeCursor, encodeCursor, invalidCursor } from '../../lib/cursor';
import { errorMessage } from '../../lib/errors';
import { pageOf } from '../../lib/page';
import { ofTenant } from '../../lib/tenant';
import type { WorkflowModels, WorkflowRecord } from './models';

type ListParams = ParamsOf<'workflows.list'>;
type SortField = 'name' | 'created_at' | 'updated_at';

/** The fields that a row is made of; without documents, which may be large. */
const ROW_FIELDS = [
  'name',
  'description',
  'tags',
  'folder',
  'status',
  'enabled',
  'env',
  'version',
  'triggers',
  'timers',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof WorkflowRecord)[];
type RowRecord = Pick<WorkflowRecord, '_id' | (typeof ROW_FIELDS)[number]>;

/** What rows show beside their records. */
interface Facts {
  readonly runs: ReadonlyMap<string, readonly RecentRun[]>;
  readonly next: ReadonlyMap<string, string>;
}

/** The list of workflows: one query for the page, one call for the last runs and one for the next starts of all its rows. */
export const workflowList =
  (models: Pick<WorkflowModels, 'workflows'>, warn: (message: string) => void) =>
  async (
    asked: ListParams,
    tenantId: string,
    call: Call,
    visible: QueryFilter<WorkflowRecord>,
  ): Promise<ResultOf<'workflows.list'>> => {
    const page = pageOf(asked);
    const sort = asked.sort ?? '-created_at';
    const { field, direction } = orderOf(sort);
    const { cursor } = asked;
    const after = cursor === undefined ? {} : afterCursor(cursor, sort);
    const found: RowRecord[] = await ofTenant(models.workflows, tenantId).find(
      { $and: [{ deleted_at: null }, filterOf(asked), visible, after] },
      {
        sort: { [field]: direction, _id: 1 },
        offset: cursor === undefined ? page.offset : 0,
        limit: page.limit + 1,
        fields: ROW_FIELDS,
      },
    );
    const records = found.slice(0, page.limit);
    const last = found.length > page.limit ? records.at(-1) : undefined;
    const facts = await factsOf(records, tenantId, call, warn);
    return {
      data: records.map((record) => rowOf(record, facts)),
      ...page,
      next_cursor: last === undefined ? null : cursorOf(last, sort),
    };
  };

const orderOf = (sort: WorkflowSort): { field: SortField; direction: 1 | -1 } => ({
  field: sort.replace('-', '') as SortField,
  direction: sort.startsWith('-') ? -1 : 1,
});

function filterOf({ q, tag, folder, status, enabled, trigger, env }: ListParams): QueryFilter<WorkflowRecord> {
  const any = q === undefined || q === '' ? null : new RegExp(literalPattern(q), 'i');
  return {
    ...(any === null ? {} : { $or: [{ name: any }, { description: any }, { tags: any }, { step_words: any }] }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(folder === undefined ? {} : { folder: inFolder(folder) }),
    ...(status === undefined ? {} : { status }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(trigger === undefined ? {} : { triggers: trigger }),
    ...(env === undefined ? {} : { env }),
  };
}

/** The folder and those in it; the empty one: workflows without a folder. */
const inFolder = (folder: string): QueryFilter<WorkflowRecord>['folder'] =>
  folder === '' ? { $in: ['', null] } : new RegExp(`^${literalPattern(folder)}(?:/|$)`);

/** The place of a row in an order. */
const cursorOf = (record: RowRecord, sort: WorkflowSort): string => {
  const value = record[orderOf(sort).field];
  return encodeCursor(sort, value instanceof Date ? value.getTime() : value, record._id);
};

/** @throws AppError invalid_request */
function afterCursor(cursor: string, sort: WorkflowSort): QueryFilter<WorkflowRecord> {
  const [of, key, id] = decodeCursor(cursor);
  const { field, direction } = orderOf(sort);
  const isKey = field === 'name' ? typeof key === 'string' : Number.isSafeInteger(key);
  if (of !== sort || !isKey || typeof id !== 'string') throw invalidCursor();
  return afterRow(field, direction, field === 'name' ? (key as string) : new Date(key as number), id);
}

async function factsOf(
  records: readonly RowRecord[],
  tenantId: string,
  call: Call,
  warn: (message: string) => void,
): Promise<Facts> {
  const as = { asServiceOf: tenantId };
  const ids = records.map(({ _id }) => _id);
  const timed = records.flatMap(({ _id, timers = [] }) => (timers.length > 0 ? [_id] : []));
  const [recent, next] = await Promise.all([
    ids.length === 0 ? { data: [] } : call('executions.recent', { workflow_ids: ids }, as),
    timed.length === 0
      ? { data: [] }
      : // The list is of use without the next starts.
        call('scheduler.next', { workflow_ids: timed }, as).catch((fault: unknown) => {
          warn(`Next starts could not be read for the list of workflows: ${errorMessage(fault)}`);
          return { data: [] };
        }),
  ]);
  return {
    runs: new Map(recent.data.map(({ workflow_id, runs }) => [workflow_id, runs])),
    next: new Map(next.data.map(({ workflow_id, at }) => [workflow_id, at])),
  };
}

function rowOf(record: RowRecord, { runs, next }: Facts): WorkflowRow {
  const recent = [...(runs.get(record._id) ?? [])];
  const count = (status: RecentRun['status']): number => recent.filter((run) => run.status === status).length;
  const decided = count('completed') + count('failed');
  return {
    id: record._id,
    name: record.name,
    description: record.description,
    tags: record.tags ?? [],
    folder: record.folder ?? '',
    status: record.status,
    enabled: record.enabled,
    env: record.env,
    version: record.version,
    triggers: record.triggers,
    next_start: next.get(record._id) ?? null,
    success_rate: decided === 0 ? null : Math.round((count('completed') / decided) * 100) / 100,
    recent_runs: recent,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}
