import type { QueryFilter } from 'mongoose';
import { afterRow, decodeCursor, encodeCursor, invalidCursor } from '../../../lib/cursor';
import type { Page } from '../../../lib/page';
import { ofTenant } from '../../../lib/tenant';
import type { ParamsOf } from '../../../contracts/catalogue';
import type { EvaluationResult } from '../../../contracts/evaluations/views';
import type { EvaluationModels, ResultRecord, RowRecord } from '../models';
import { resultView } from './views';

type ResultsQuery = Pick<ParamsOf<'evaluations.results'>, 'cursor' | 'outcome' | 'failed_metric' | 'sort'>;

/** Bytes of the rows of a page, which may be shorter than asked for. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

const ORDERS = {
  row: { field: 'n', direction: 1 },
  score: { field: 'score', direction: 1 },
  '-score': { field: 'score', direction: -1 },
} as const;

/** A page of the results of an evaluation. @throws AppError invalid_request */
export async function resultPage(
  models: Pick<EvaluationModels, 'results' | 'rows'>,
  tenantId: string,
  evaluationId: string,
  { cursor, sort = 'row', limit, offset, ...filters }: ResultsQuery & Page,
): Promise<{ data: EvaluationResult[]; next: string | null }> {
  const { field, direction } = ORDERS[sort];
  const clauses: QueryFilter<ResultRecord>[] = [
    { evaluation_id: evaluationId, ...filterOf(filters) },
    // Those without a score have no place in the order.
    ...(field === 'score' ? [{ score: { $gte: 0 } }] : []),
    ...(cursor === undefined ? [] : [afterCursor(cursor, sort)]),
  ];
  const found = await ofTenant(models.results, tenantId).find(
    { $and: clauses },
    { sort: { [field]: direction, _id: 1 }, offset: cursor === undefined ? offset : 0, limit: limit + 1 },
  );
  const rows = await versionsOf(models, tenantId, found.slice(0, limit));
  const shown = withinSize(found.slice(0, limit), rows);
  const last = shown.length < found.length ? shown.at(-1) : undefined;
  return {
    data: shown.map((result) => resultView(result, rows.get(result.version_id))),
    next: last === undefined ? null : encodeCursor(sort, last[field], last._id),
  };
}

function filterOf({
  outcome,
  failed_metric,
}: Pick<ResultsQuery, 'outcome' | 'failed_metric'>): QueryFilter<ResultRecord> {
  return {
    ...(outcome === 'passed' ? { passed: true } : {}),
    ...(outcome === 'failed' ? { passed: false } : {}),
    ...(outcome === 'error' ? { has_error: true } : {}),
    ...(failed_metric === undefined ? {} : { failed_metrics: failed_metric }),
  };
}

function afterCursor(cursor: string, sort: keyof typeof ORDERS): QueryFilter<ResultRecord> {
  const [of, value, id] = decodeCursor(cursor);
  if (of !== sort || typeof value !== 'number' || typeof id !== 'string') throw invalidCursor();
  const { field, direction } = ORDERS[sort];
  return afterRow(field, direction, value, id);
}

async function versionsOf(
  models: Pick<EvaluationModels, 'rows'>,
  tenantId: string,
  results: readonly ResultRecord[],
): Promise<ReadonlyMap<string, RowRecord>> {
  const ids = results.map(({ version_id }) => version_id);
  const rows = ids.length === 0 ? [] : await ofTenant(models.rows, tenantId).find({ _id: { $in: ids } });
  return new Map(rows.map((row) => [row._id, row]));
}

/** At least one result. */
function withinSize(results: readonly ResultRecord[], rows: ReadonlyMap<string, RowRecord>): readonly ResultRecord[] {
  let bytes = 0;
  const end = results.findIndex((result, index) => {
    bytes += (rows.get(result.version_id)?.bytes ?? 0) + result.output.length;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return end === -1 ? results : results.slice(0, end);
}
